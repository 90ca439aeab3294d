import { type Json, type JsonObject, keyOf, keys, parser, SecurityEventView, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { pagesFromEnd } from "./log-tail.ts";
import { SECURITY_HEAD, SECURITY_LOG } from "./security.ts";

/** The security events of approvals since a time, over all shards, newest first. */
export async function securityEvents(
  state: StateStore,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<{ readonly count: number; readonly events: readonly SecurityEventView[] }> {
  const shards = Array.from({ length: state.shards }, (_, n) => shardName(n));
  const { documents } = await state.read(shards.map((shard) => keyOf("security", shard, SECURITY_HEAD)));
  const written = shards.filter((_, n) => lastAt(documents[n]?.value) >= since);
  const all = (await Promise.all(written.map((shard) => eventsOf(state, shard, since)))).flat();
  const count = all.reduce((sum, { details }) => sum + numberOf(details?.["leftOut"]), 0);
  return { count, events: all.toSorted((a, b) => b.at - a.at).slice(0, limit) };
}

async function eventsOf(state: StateStore, shard: string, since: number): Promise<readonly SecurityEventView[]> {
  const log = keys.security(shard, SECURITY_LOG);
  const found: SecurityEventView[] = [];
  for await (const entries of pagesFromEnd(state, log)) {
    const events = entries.flatMap(({ value }) => viewOf(shard, value) ?? []);
    found.push(...events.filter(({ at }) => at >= since));
    if (found.length >= MOST || events.some(({ at }) => at < since)) break;
  }
  return found;
}

function viewOf(shard: string, value: Json): SecurityEventView | null {
  const parsed = parse(isObject(value) ? { ...value, shard } : null);
  return parsed.ok ? parsed.value : null;
}

/** The number of events that an entry stands for: events of which only the number was kept share one entry. */
function numberOf(leftOut: Json | undefined): number {
  return typeof leftOut === "number" ? leftOut : 1;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lastAt(value: Json | undefined): number {
  const at = typeof value === "object" && value !== null && "lastAt" in value ? value["lastAt"] : -1;
  return typeof at === "number" ? at : -1;
}

const parse = parser(SecurityEventView);
const MOST = 5000;
