import type { Json, SecurityEventView } from "@toolbus/contracts";
import { keyOf, keys, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { readRegistry } from "@toolbus/tool-kit";
import { pagesFromEnd } from "./log-tail.ts";
import { securityEventIn } from "./security-event-in.ts";
import { SECURITY_LOG } from "./security.ts";

/** Returns the security events since a time that approvals, the agents and the workers of all registered toolsets recorded, newest first. */
export async function securityEvents(
  state: StateStore,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<{ readonly count: number; readonly events: readonly SecurityEventView[] }> {
  const toolsets = new Set((await readRegistry(state)).map(({ toolset }) => toolset));
  const services = [SECURITY_LOG, AGENT_LOG, ...[...toolsets].map((toolset) => `worker.${toolset}`)];
  const all: SecurityEventView[] = [];
  // Reads one log after another, because a compromised service can fill its logs with large entries.
  for (const service of services) all.push(...(await eventsOf(state, service, since)));
  const count = all.reduce((sum, { details }) => sum + numberOf(details?.["leftOut"]), 0);
  return { count, events: all.toSorted((a, b) => b.at - a.at).slice(0, limit) };
}

/** Returns what one service recorded, from all shards. The newest entry of each log has a document of its own, so logs without news are not read. */
async function eventsOf(state: StateStore, service: string, since: number): Promise<readonly SecurityEventView[]> {
  const shards = Array.from({ length: state.shards }, (_, n) => shardName(n));
  const { documents } = await state.read(shards.map((shard) => keyOf("security", shard, `${service}.head`)));
  const written = shards.filter((_, n) => lastAt(documents[n]?.value) >= since);
  const found: SecurityEventView[] = [];
  for (const shard of written) found.push(...(await eventsIn(state, { shard, service }, since)));
  return found;
}

async function eventsIn(
  state: StateStore,
  log: { readonly shard: string; readonly service: string },
  since: number,
): Promise<readonly SecurityEventView[]> {
  const found: SecurityEventView[] = [];
  let looked = 0;
  for await (const entries of pagesFromEnd(state, keys.security(log.shard, log.service))) {
    const events = entries.flatMap(({ value }) => securityEventIn(value, log) ?? []);
    found.push(...events.filter(({ at }) => at >= since));
    looked += entries.length;
    if (looked >= MOST || events.some(({ at }) => at < since)) break;
  }
  return found;
}

/** Returns the number of events that an entry represents. Events of which only the number was stored share one entry. */
function numberOf(leftOut: Json | undefined): number {
  return Number.isSafeInteger(leftOut) && Number(leftOut) > 0 ? Number(leftOut) : 1;
}

function lastAt(value: Json | undefined): number {
  const at = typeof value === "object" && value !== null && "lastAt" in value ? value["lastAt"] : -1;
  return typeof at === "number" ? at : -1;
}

const AGENT_LOG = "agent";
const MOST = 5000;
