import type { ServerKind } from "./server-kinds.ts";

/** The sources of a server, in the order of the search. */
export const serverSources = ["environment", "local", "private", "container"] as const;
export type ServerSource = (typeof serverSources)[number];

/** A server that answered, and that tests may share: each test uses a namespace of its own and removes it. */
export interface TestServer {
  readonly kind: ServerKind;
  /** With the password, if there is one. Never print it: use `described` for people. */
  readonly url: string;
  readonly source: ServerSource;
  /** As the server itself reports it. */
  readonly version: string;
  /** One line for people, without the password. */
  readonly described: string;
}

/** Why there is none. */
export interface ServerMissing {
  readonly kind: ServerKind;
  /** One sentence that says what was tried. */
  readonly missing: string;
  /** One line that would enable it. */
  readonly remedy: string;
}
