import { afterAll, beforeAll, describe, it } from "vitest";
import { readEnvironment } from "./environment.ts";
import { findServer } from "./find-server.ts";
import type { PrivateServer, PrivateServerOptions } from "./private-server.ts";
import type { ServerKind } from "./server-kinds.ts";
import { missingPrivateServer, startPrivateServer } from "./start-private-server.ts";
import type { ServerMissing, TestServer } from "./test-server.ts";

/**
 * A `describe` whose tests share a server with other suites. If no server is found, it has one test instead, whose name says what is missing and how
 * to enable it. This test is skipped on a developer's machine. It fails on a build server (`CI=true`), where nobody reads which tests were skipped.
 */
export function describeOnServer(kind: ServerKind, name: string, suite: (server: () => TestServer) => void): void {
  describe(name, async () => {
    const found = await findServer(kind);
    if ("missing" in found) registerMissing(found);
    else suite(() => found);
  });
}

/** Like `describeOnServer`, with a private server for this suite alone. The server starts before the first test and is removed after the last. */
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
      if (!server) throw new Error("The server exists from the first beforeEach or test on.");
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
