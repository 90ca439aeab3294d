import { createHash } from "node:crypto";
import { rootRunId, type RunOrigin, shardName, shardOf } from "@toolbus/contracts";
import type { Whose } from "./budget-limits.ts";
import type { WindowPlace } from "./budget-window.ts";

const DAY_MS = 86_400_000;
/** How long the store keeps a day's budget after that day, for late settlements and for readers. */
const AFTER_DAY_MS = 2 * DAY_MS;
/** How long the store keeps a run's budget after its last use. People may take days to decide about an approval. */
const RUN_MS = 30 * DAY_MS;

/** Returns the place of a run's budget. A sub-run uses the budget of its root, in the root's shard. */
export function runPlace(runId: string, now: number): WindowPlace {
  return { shard: shardOf(runId), whose: "run", id: `run:${rootRunId(runId)}`, until: null, expiresAt: now + RUN_MS };
}

/** Returns the place of a principal's or a tenant's budget for the day (UTC) that contains `now`. A hash of the owner's name selects the shard. */
export function dayPlace(
  whose: Exclude<Whose, "run">,
  of: Pick<RunOrigin, "tenant" | "principal">,
  now: number,
  shards: number,
): WindowPlace {
  const name = whose === "tenant" ? [of.tenant] : [of.tenant, of.principal];
  const digest = createHash("sha256")
    .update(JSON.stringify([whose, ...name]))
    .digest();
  const endsAt = dayEnd(now);
  return {
    shard: shardName((digest[0] ?? 0) % shards),
    whose,
    id: `${whose}:${digest.toString("hex").slice(0, 32)}:${new Date(now).toISOString().slice(0, 10)}`,
    until: endsAt - 1,
    expiresAt: endsAt + AFTER_DAY_MS,
  };
}

/** Returns the next midnight UTC after this moment. */
export function dayEnd(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
