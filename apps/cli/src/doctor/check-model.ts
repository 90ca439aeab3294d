import { readContext, readRun, readRunPage, readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { eventsSoFar } from "../runs/events-so-far.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { findingOf } from "./finding-of.ts";
import { slowestTurn } from "./slowest-turn.ts";

const ENDED: ReadonlySet<string> = new Set(["done", "failed", "cancelled"]);

/** Returns how long the newest run has waited for its model, if that is long or if calls of the model failed. Returns null for anything else. */
async function silence(gateway: Client, runId: string, here: number): Promise<string | null> {
  const { waits = [] } = readRun(await gateway.get(`/v1/runs/${runId}`));
  const wait = waits.find(({ kind }) => kind === "model");
  if (!wait) return null;
  if (wait.since === undefined) return `${runId} has to ask its model once more: ${wait.says}`;
  const { asOf: now = here } = readTools(await gateway.get("/v1/tools"));
  return now - wait.since < SLOW_MS ? null : `The model has not answered ${runId} for ${spanOf(now - wait.since)}.`;
}

/** What to do about each error code of runs that fail because of their model (docs/models.md). */
const MODEL_REMEDIES: ReadonlyMap<string, string> = new Map([
  ["answer_stalled", "check the model's server"],
  ["answer_too_large", "check the model and its server"],
  [
    "authentication_failed",
    "set LLM_API_KEY of the agent, or the variable of its provider such as ANTHROPIC_API_KEY, to a valid key, or check the account, and restart the agent",
  ],
  ["empty_reply", "check LLM_MODEL"],
  ["invalid_request", "check LLM_MODEL, and what the message names"],
  ["model_timeout", "the model is too slow: raise MODEL_TIMEOUT_MS, or use a faster one"],
  ["network_failed", "check the address of the model's server, and that it runs"],
  ["provider_failed", "check the model's server, or ask its vendor"],
  ["rate_limited", "wait, or raise the limit with the vendor"],
]);

// The check cannot see a corrected setting, so people would take its finding for a remedy that did not work.
const UNTIL_THE_NEXT = "This check shows the last run until a new one has ended.";

/** A turn that takes longer than this is slow for people, and a few such turns use up the active time of a run. */
const SLOW_MS = 15_000;

/**
 * Reports which model answered last, and how long it took if it was slow or still takes. A client has no other way to find out the configured model.
 * `here` is this machine's time, for a gateway that does not report the store's time.
 */
export function checkModel(gateway: Client, here: number): Promise<Check> {
  const name = "model";
  return findingOf(name, async () => {
    const [run] = readRunPage(await gateway.get("/v1/runs?limit=1")).runs;
    if (!run) return ok(name, `not known before the first run: "${SELF} chat" begins one`);
    const { provider, model } = readContext(await gateway.get(`/v1/conversations/${run.conversationId}/context`));
    const remedy = run.status === "failed" ? MODEL_REMEDIES.get(run.code ?? "") : undefined;
    if (remedy !== undefined) {
      return fail(
        name,
        `The last run failed (${safeText(run.code ?? "")}).`,
        `"${SELF} runs show ${run.runId}" says why; ${remedy}. ${UNTIL_THE_NEXT}`,
      );
    }
    const silent = ENDED.has(run.status) ? null : await silence(gateway, run.runId, here);
    if (silent !== null)
      return warn(
        name,
        safeText(silent),
        `"${SELF} runs why ${run.runId}" says what happened so far. Check the model's server, and MODEL_TIMEOUT_MS of the agent.`,
      );
    const slow = provider === "offline" ? null : slowestTurn(await eventsSoFar(gateway, run.runId));
    if (slow && slow.tookMs >= SLOW_MS)
      return warn(
        name,
        safeText(
          `${provider ?? "The model"} ${model ?? ""} took ${spanOf(slow.tookMs)} for the turn of round ${slow.round} of the last run.`,
        ),
        "Use a faster model. Or raise MODEL_TIMEOUT_MS, which bounds one call of the model (docs/models.md), and activeSeconds of the profile, which bounds a run (docs/profiles.md).",
      );
    if (provider === "offline")
      return ok(name, safeText(`offline ${model ?? ""}, last used; docs/models.md says how to set a language model`));
    return ok(name, provider === null ? "not used yet in the last conversation" : safeText(`${provider} ${model ?? ""}, last used`));
  });
}
