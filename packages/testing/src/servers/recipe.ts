import type { Command } from "./guarded-process.ts";

/** What a private server gets, and where it may write. */
export interface Place {
  /** A folder of its own, which is removed with it. */
  readonly folder: string;
  readonly searchPath: string;
  /** Returns a port of 127.0.0.1 on which nothing listens, a different one at each call. */
  port(): Promise<number>;
}

/** How one private server is run. A restart uses the same commands. */
export interface Recipe {
  readonly port: number;
  readonly url: string;
  readonly server: Command;
  /** A process that it needs beside it, which stays while the server is down. */
  readonly companion?: Command;
  /** The server's own program for operators, without its arguments: `rabbitmqctl`. */
  readonly control?: Pick<Command, "program" | "env" | "folder">;
  /** The address of its management over HTTP, if requested. */
  readonly managementUrl: string | null;
}

/** The environment of a server: only our path. */
export function bareEnvironment({ folder, searchPath }: Place): Readonly<Record<string, string>> {
  return { PATH: searchPath, HOME: folder, LANG: "C.UTF-8" };
}
