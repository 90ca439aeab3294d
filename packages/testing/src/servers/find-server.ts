import { readEnvironment } from "./environment.ts";
import { lookForServer } from "./look-for-server.ts";
import type { ServerKind } from "./server-kinds.ts";
import type { ServerMissing, TestServer } from "./test-server.ts";

const found = new Map<ServerKind, Promise<TestServer | ServerMissing>>();

/**
 * Finds a server that tests may share, once per process: the one that TEST_REDIS_URL, TEST_RABBITMQ_URL or TEST_NATS_URL names, one on its usual
 * port of this machine, a private one from the path, or one in a container. A server that was started for this ends with the process. Reports the
 * choice on standard error.
 */
export function findServer(kind: ServerKind): Promise<TestServer | ServerMissing> {
  const known = found.get(kind);
  if (known) return known;
  const looking = lookForServer(kind, readEnvironment()).then((result) => {
    if (!("missing" in result)) process.stderr.write(`Tests use ${result.described}.\n`);
    return result;
  });
  found.set(kind, looking);
  return looking;
}
