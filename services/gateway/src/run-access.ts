import { isRunId, keys, parseRun, parseRunOrigin, type Run, type RunOrigin } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";

export interface OwnRun {
  readonly now: number;
  readonly runId: string;
  readonly origin: RunOrigin;
  /** Null until the agent has taken it. */
  readonly run: Run | null;
}

/**
 * The run of this id, if the caller may see it: its own, or as an operator any of the tenant. Everything else is "not found", so that nobody
 * learns what exists. Who asked is read from the gateway's own document, never from what the agent may write.
 */
export async function ownRun(state: StateStore, runId: string, principal: Principal): Promise<OwnRun> {
  if (!isRunId(runId)) throw notFound(runId);
  const { now, documents } = await state.read([keys.runOrigin(runId), keys.run(runId)]);
  const origin = documents[0] && parseRunOrigin(documents[0].value);
  if (!origin?.ok || origin.value.tenant !== principal.tenant) throw notFound(runId);
  if (origin.value.principal !== principal.id && !principal.roles.includes("operator")) throw notFound(runId);
  const run = documents[1] && parseRun(documents[1].value);
  // The agent keeps a finished run for a shorter time than the gateway knows whose it was. Nothing waits that long to be taken.
  if (!run && now > origin.value.openUntil) {
    throw new HttpProblem("expired", "This run ended long ago and is no longer kept.", { remedy: "Start a new one." });
  }
  return { now, runId, origin: origin.value, run: run?.ok ? run.value : null };
}

function notFound(runId: string): HttpProblem {
  return new HttpProblem("not_found", `There is no run "${runId.slice(0, 80)}" for this key.`, {
    remedy: "Use the id that POST /v1/investigations gave, with the key that created it.",
  });
}
