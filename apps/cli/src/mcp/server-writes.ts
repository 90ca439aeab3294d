import type { RegisteredWrite, WriteState, WriteSummary } from "@toolbus/contracts";
import { counted } from "@toolbus/contracts";
import { readWrites } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** A registered write of an MCP server, with its definition and the version that is enabled under its name. */
export type ServerWrite = RegisteredWrite & Pick<WriteSummary, "enabled">;

export interface ServerWrites {
  /** The server's own name, which may differ from the typed one in case and punctuation. */
  readonly server: string;
  readonly writes: readonly [ServerWrite, ...ServerWrite[]];
}

/** Returns the registered writes of an MCP server. Case and punctuation do not matter. Throws a Failure if no write of the server is registered. */
export async function writesOfServer(service: Client, typed: string): Promise<ServerWrites> {
  const { writes } = readWrites(await service.get(`/v1/writes?server=${encodeURIComponent(typed.slice(0, 200))}`));
  const [first, ...others] = writes.flatMap(({ definition, changes = [], ...rest }) =>
    definition ? [{ ...rest, definition, changes }] : [],
  );
  if (first) return { server: first.server ?? typed, writes: [first, ...others] };
  const all = readWrites(await service.get("/v1/writes")).writes;
  throw unknownServer(`No write of an MCP server "${typed.slice(0, 80)}" is registered.`, { kind: "writes", servers: serversIn(all) });
}

/** Returns the error about a server without tools. It names the servers that have some. */
export function unknownServer(
  problem: string,
  { kind, servers }: { readonly kind: "writes" | "tools"; readonly servers: readonly string[] },
): Failure {
  const next =
    servers.length > 0
      ? `There are ${kind} of: ${servers.join(", ")}.`
      : `"${SELF} mcp list" shows the servers whose tools are registered.`;
  return new Failure(EXIT.notFound, safeText(`${problem} ${next}`));
}

function serversIn(writes: readonly Pick<WriteSummary, "server">[]): readonly string[] {
  return [...new Set(writes.flatMap(({ server }) => (server === undefined ? [] : [server])))].toSorted();
}

/** How many registered writes of a server are in each state. A write with a refused definition counts as quarantined. */
export type Counts = Readonly<Record<WriteState | "quarantined", number>>;

export function countsOf(writes: readonly Pick<WriteSummary, "state" | "quarantined">[]): Counts {
  const counts = { pending: 0, changed: 0, enabled: 0, disabled: 0, superseded: 0, damaged: 0, quarantined: 0 };
  for (const { state, quarantined } of writes) counts[quarantined ? "quarantined" : state] += 1;
  return counts;
}

/** Returns a line such as "memory: 9 writes, 8 pending, 1 enabled". */
export function countsLine(server: string, writes: readonly Pick<WriteSummary, "state" | "quarantined">[]): string {
  const parts = Object.entries(countsOf(writes)).filter(([, count]) => count > 0);
  return safeText([`${server}: ${counted(writes.length, "write")}`, ...parts.map(([state, count]) => `${count} ${state}`)].join(", "));
}
