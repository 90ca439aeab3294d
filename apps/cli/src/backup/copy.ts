import path from "node:path";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The file that describes a copy. It is written last, so a folder without it is not a complete copy. */
export const ABOUT = "backup.json";

/** The folder of the store in a copy. */
export const STORE = "state";

/** The folders of the data directory that belong to a copy: the keys, and the logins that `toolbus permissions` made, if there are any. */
export const FOLDERS = ["keys", "permissions"] as const;

export interface AboutCopy {
  /** The time at which the copy began, in milliseconds since 1970. Every commit that was acknowledged before this time is in the copy. */
  readonly copiedAt: number;
  /** The data directory. */
  readonly from: string;
}

/**
 * Returns the directory of the SQLite store: that of STATE_URL, or the one in the data directory. Throws a Failure with this remedy if the store is on a
 * server, because the tools of the server copy it.
 */
export function storeDirectory(env: Readonly<Record<string, string | undefined>>, dataDirectory: string, remedy: string): string {
  const url = env["STATE_URL"] ?? "";
  if (url === "") return path.join(dataDirectory, STORE);
  const directory = /^sqlite:(?!\/\/)(.+)$/.exec(url)?.[1];
  if (directory === undefined) throw new Failure(EXIT.usage, `STATE_URL names no directory of SQLite. ${remedy}`);
  return path.resolve(directory);
}
