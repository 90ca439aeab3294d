import { afterAll, beforeAll, describe, it } from "vitest";
import { readEnvironment } from "./environment.ts";
import { findServer } from "./find-server.ts";
import type { PrivateServer, PrivateServerOptions } from "./private-server.ts";
import type { ServerKind } from "./server-kinds.ts";
import { missingPrivateServer, startPrivateServer } from "./start-private-server.ts";
import type { ServerMissing, TestServer } from "./test-server.ts";

/**
 * A `describe` whose tests share a server with others. Where there is none, it has one test in place of them, whose name says what is missing and how
 * to enable it: skipped at a desk, failed on a build server (`CI=true`), where nobody reads what was skipped.
 */
export function describeOnServer(kind: ServerKind, name: string, suite: (server: () => TestServer) => void): void {
  describe(name, async () => {
    const found = await findServer(kind);
    if ("missing" in found) registerMissing(found);
    else suite(() => found);
  });
}

/** The same with a private server for the suite alone, which is started before its first test and removed after its last. */
export function describeOnPrivateServer<Kind extends ServerKind>(
  kind: Kind,
  name: string,
  suite: (server: () => PrivateServer) => void,
  options: PrivateServerOptions[Kind] = {},
): void {
  describe(name, async () => {
    const missing = await missingPrivateServer(kind);
    if (missing) return registerMissing(missing);
    let server: PrivateServer | null = null;
    beforeAll(async () => {
      server = await startPrivateServer(kind, options);
    });
    afterAll(() => server?.remove());
    suite(() => {
      if (!server) throw new Error("The server is there from the first beforeEach or test on.");
      return server;
    });
  });
}

function registerMissing({ missing, remedy }: ServerMissing): void {
  const title = `${missing}. To enable: ${remedy}`;
  it.skipIf(!readEnvironment().onBuildServer)(title, () => {
    throw new Error(title);
  });
}
