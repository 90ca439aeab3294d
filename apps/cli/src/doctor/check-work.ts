import { readContext, readRunPage, readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { safeText } from "../terminal/safe-text.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Whether there are tools, and workers for them. */
export function checkTools(gateway: Client): Promise<Check> {
  const name = "tools";
  return told(name, async () => {
    const { tools } = readTools(await gateway.get("/v1/tools"));
    if (tools.length === 0) return warn(name, "None is registered.", "Start a worker: it registers its tools when it starts.");
    const named = (availability: string) =>
      tools.filter((tool) => tool.availability === availability).map((tool) => safeText(`${tool.name}@${tool.version}`));
    const [asleep, unavailable] = [named("asleep"), named("unavailable")];
    const count = `${tools.length} registered`;
    if (unavailable.length > 0) {
      return warn(
        name,
        `${count}; ${unavailable.join(", ")} cannot be used now.`,
        `"${SELF} tools list" shows them; the worker's log says why.`,
      );
    }
    if (asleep.length > 0) {
      return warn(
        name,
        `${count}; no worker was seen lately for ${asleep.join(", ")}.`,
        "Start one, unless they are scaled to zero: calls wait.",
      );
    }
    return ok(name, `${count}, all available`);
  });
}

/** Codes of runs that end because of their model (docs/errors.md). */
const MODEL_CODES: ReadonlySet<string> = new Set([
  "authentication_failed",
  "invalid_request",
  "model_timeout",
  "network_failed",
  "provider_failed",
  "rate_limited",
]);

/** Which model spoke last: the only way to know from outside which one is set. */
export function checkModel(gateway: Client): Promise<Check> {
  const name = "model";
  return told(name, async () => {
    const [run] = readRunPage(await gateway.get("/v1/runs?limit=1")).runs;
    if (!run) return ok(name, `not known before the first run: "${SELF} chat" begins one`);
    const { provider, model } = readContext(await gateway.get(`/v1/conversations/${run.conversationId}/context`));
    if (run.status === "failed" && run.code !== null && run.code !== undefined && MODEL_CODES.has(run.code)) {
      return fail(
        name,
        `The last run failed (${safeText(run.code)}).`,
        `"${SELF} runs show ${run.runId}" says why; check LLM_PROVIDER, LLM_MODEL and the key.`,
      );
    }
    if (provider === "offline")
      return ok(name, safeText(`offline ${model ?? ""}, asked last; docs/models.md says how to set a language model`));
    return ok(name, provider === null ? "not asked yet in the last conversation" : safeText(`${provider} ${model ?? ""}, asked last`));
  });
}

async function told(name: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return fail(name, "This could not be found out.", error.message);
  }
}
