import type { Command } from "./guarded-process.ts";

/** Where a private server may put things, and what it gets. */
export interface Place {
  /** A folder of its own, removed with it. */
  readonly folder: string;
  readonly searchPath: string;
  /** Gives a port of 127.0.0.1 on which nothing listens, another at each call. */
  port(): Promise<number>;
}

/** How one private server is run. The commands stay the same when it is started again. */
export interface Recipe {
  readonly port: number;
  readonly url: string;
  readonly server: Command;
  /** A process that it needs beside it, which stays while the server is down. */
  readonly companion?: Command;
  /** The server's own program for operators, without its arguments: `rabbitmqctl`. */
  readonly control?: Pick<Command, "program" | "env" | "folder">;
  /** Where its management answers over HTTP, if it was asked for. */
  readonly managementUrl: string | null;
}

/** What a server is given of an environment: nothing of ours but the path. */
export function bareEnvironment({ folder, searchPath }: Place): Readonly<Record<string, string>> {
  return { PATH: searchPath, HOME: folder, LANG: "C.UTF-8" };
}
