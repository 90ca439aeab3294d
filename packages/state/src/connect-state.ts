import { memoryStore } from "./memory/memory-store.ts";
import { type StateStore, StoreRefused } from "./state-store.ts";

export interface ConnectStateOptions {
  /** The time of stores that have no clock of their own, in milliseconds since 1970. */
  readonly clock: () => number;
  /** How many shards a new store gets. A store that exists keeps its number, and refuses another. */
  readonly shards?: number;
}

/**
 * Opens the state store that a URL names: `memory:` or `sqlite:DIRECTORY`. An adapter is loaded when it is asked for. Throws `StoreRefused`, with
 * a sentence for whoever set the URL, for any other one.
 */
export async function connectState(url: string, options: ConnectStateOptions): Promise<StateStore> {
  if (url === "memory:") return memoryStore(options);
  const directory = /^sqlite:(?!\/\/)(.+)$/.exec(url)?.[1];
  if (directory) {
    const { openSqliteStore } = await import("./sqlite/sqlite-store.ts");
    return openSqliteStore({ ...options, directory });
  }
  if (/^rediss?:/.test(url)) throw new StoreRefused("A state store on Redis comes with a later version: use sqlite:DIRECTORY for now.");
  // Only the scheme is repeated: what follows may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "";
  throw new StoreRefused(`The state store "${scheme}${scheme === url ? "" : "…"}" is unknown: use memory: or sqlite:DIRECTORY.`);
}
