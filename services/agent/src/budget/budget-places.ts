import { createHash } from "node:crypto";
import { rootRunId, type RunOrigin, shardName, shardOf } from "@toolbus/contracts";
import type { Whose } from "./budget-limits.ts";
import type { WindowPlace } from "./budget-window.ts";

const DAY_MS = 86_400_000;
/** How long a day's budget is kept after its day: for late settlements, and for readers. */
const AFTER_DAY_MS = 2 * DAY_MS;
/** How long a run's budget is kept after its last use; people may take days over an approval. */
const RUN_MS = 30 * DAY_MS;

/** A run's budget: that of its root, in the root's shard. */
export function runPlace(runId: string, now: number): WindowPlace {
  return { shard: shardOf(runId), id: `run:${rootRunId(runId)}`, until: null, expiresAt: now + RUN_MS };
}

/** The budget of a principal or a tenant for the day (UTC) that contains `now`, in the shard of their name. */
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
    id: `${whose}:${digest.toString("hex").slice(0, 32)}:${new Date(now).toISOString().slice(0, 10)}`,
    until: endsAt - 1,
    expiresAt: endsAt + AFTER_DAY_MS,
  };
}

/** Midnight UTC after this moment. */
export function dayEnd(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
