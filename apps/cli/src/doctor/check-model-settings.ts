import { sentenceOf } from "@toolbus/runtime";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { type Check, fail, ok, warn } from "./check.ts";

// The variables that configure a model. If none of them is set, this shell configures no model.
const SAYS_A_MODEL = /^(LLM_\w+|(ANTHROPIC|OPENAI|OPENROUTER)_API_KEY(_FILE)?)$/;

/**
 * Checks with the provider whether the model that this shell's environment configures is available. Returns null if the environment configures no
 * model, because a Toolbus that was started elsewhere has its own settings.
 */
export async function checkModelSettings({ around, signal }: Pick<Context, "around" | "signal">): Promise<Check | null> {
  const name = "model settings";
  if (!Object.entries(around.env).some(([variable, value]) => SAYS_A_MODEL.test(variable) && value)) return null;
  const { modelInWords, modelProbe } = await import("@toolbus/all-in-one");
  try {
    const words = await modelInWords(around.env);
    const found = await modelProbe(around.env, signal);
    if (found === null) return ok(name, safeText(words));
    return found.ok ? ok(name, safeText(found.what)) : warn(name, safeText(found.what), safeText(found.fix));
  } catch (error) {
    signal.throwIfAborted();
    return fail(name, "Toolbus would not start with them.", safeText(sentenceOf(error)));
  }
}
