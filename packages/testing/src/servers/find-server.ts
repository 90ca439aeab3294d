import { readEnvironment } from "./environment.ts";
import { lookForServer } from "./look-for-server.ts";
import type { ServerKind } from "./server-kinds.ts";
import type { ServerMissing, TestServer } from "./test-server.ts";

const found = new Map<ServerKind, Promise<TestServer | ServerMissing>>();

/**
 * Finds a server that tests may share, once per process. First it tries the server that TEST_REDIS_URL, TEST_RABBITMQ_URL or TEST_NATS_URL names.
 * Then it tries a server on its usual port of this machine, a private one from the path, and a private one in a container. A private server is
 * stopped when the process ends. Reports the choice on standard error.
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
