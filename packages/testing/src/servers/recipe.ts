import type { Command } from "./guarded-process.ts";

/** The resources of a private server. */
export interface Place {
  /** A folder for this server alone, which is removed with the server. */
  readonly folder: string;
  readonly searchPath: string;
  /** Returns a port of 127.0.0.1 on which nothing listens. Each call returns a different port. */
  port(): Promise<number>;
}

/** How to start one private server. A restart uses the same commands. */
export interface Recipe {
  readonly port: number;
  readonly url: string;
  readonly server: Command;
  /** A process that the server needs. It continues while the server is down. */
  readonly companion?: Command;
  /** The server's own program for operators, without its arguments: `rabbitmqctl`. */
  readonly control?: Pick<Command, "program" | "env" | "folder">;
  /** The address of the server's management over HTTP, or null if it was not requested. */
  readonly managementUrl: string | null;
}

/** Returns the environment of a server. It inherits only our path. */
export function bareEnvironment({ folder, searchPath }: Place): Readonly<Record<string, string>> {
  return { PATH: searchPath, HOME: folder, LANG: "C.UTF-8" };
}
