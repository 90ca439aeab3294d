import { isRunId, keys, parseRun, parseRunOrigin, type Run, type RunOrigin } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "./own-shard.ts";
import { orProblem, refused, type Refused } from "./refused.ts";

export interface OwnRun {
  readonly kind: "found";
  readonly now: number;
  readonly runId: string;
  readonly origin: RunOrigin;
  /** The agent's document of the run. It is null until the agent has taken the run. */
  readonly run: Run | null;
}

/**
 * Returns the run of this id if the principal may see it. A principal may see its own runs. An operator may see all runs of the tenant. Everything
 * else is "not found", so that nobody learns what exists. The requester is read from the gateway's own document, which the agent cannot write.
 */
export async function findRun(state: StateStore, runId: string, principal: Principal): Promise<OwnRun | Refused> {
  if (!isRunId(runId) || !isShardOf(state, runId)) return noRun(runId);
  const { now, documents } = await state.read([keys.runOrigin(runId), keys.run(runId)]);
  const origin = documents[0] && parseRunOrigin(documents[0].value);
  if (!origin?.ok || origin.value.tenant !== principal.tenant) return noRun(runId);
  if (origin.value.principal !== principal.id && !principal.roles.includes("operator")) return noRun(runId);
  const run = documents[1] && parseRun(documents[1].value);
  // The store deletes a finished run before the gateway's own document. A run is taken long before `openUntil`, so after this time a missing run has
  // ended.
  if (!run && now > origin.value.openUntil) return refused("expired", "This run ended long ago and is no longer kept.", "Start a new one.");
  return { kind: "found", now, runId, origin: origin.value, run: run?.ok ? run.value : null };
}

/** Returns the run if the caller may see it. Otherwise throws the problem. */
export async function ownRun(state: StateStore, runId: string, principal: Principal): Promise<OwnRun> {
  return orProblem(await findRun(state, runId, principal));
}

function noRun(runId: string): Refused {
  return refused(
    "not_found",
    `There is no run "${runId.slice(0, 80)}" for this key.`,
    "Use the id from the answer that started it, with the key that started it.",
  );
}
