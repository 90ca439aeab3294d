import type { ServerKind } from "./server-kinds.ts";

/** The sources of a server, in the order of the search. */
export const serverSources = ["environment", "local", "private", "container"] as const;
export type ServerSource = (typeof serverSources)[number];

/** A server that answered, and that tests may share. Each test uses its own namespace and removes it. */
export interface TestServer {
  readonly kind: ServerKind;
  /** The URL with the password. Never print it, and show `described` to people instead. */
  readonly url: string;
  readonly source: ServerSource;
  /** The version that the server reports. */
  readonly version: string;
  /** One line for people, without the password. */
  readonly described: string;
}

/** Why no server was found. */
export interface ServerMissing {
  readonly kind: ServerKind;
  /** One sentence that says what was tried. */
  readonly missing: string;
  /** One line that says how to enable the server. */
  readonly remedy: string;
}
