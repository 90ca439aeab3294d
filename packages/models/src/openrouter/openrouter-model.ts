import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { chatModel } from "../openai/chat-model.ts";
import type { ChatVendor } from "../openai/chat-vendor.ts";
import type { TokenFamily } from "../tokens/token-family.ts";

/**
 * OpenRouter's chat completions for the models of many vendors (openrouter.ai/docs). OpenRouter always reports the cost of a turn. It sends and
 * accepts thinking as `reasoning_details`. It reports a failure of a vendor in the stream, with status 200.
 */
const OPENROUTER: Omit<ChatVendor, "tokens"> = {
  name: "openrouter",
  api: "openrouter.chat",
  dialect: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  // OpenRouter shows this name on its activity page.
  headers: { "x-title": "Toolbus" },
  lengthMember: "max_tokens",
  toolChoice: true,
  parallelCalls: true,
  keeps: ["reasoning_details", "reasoning"],
  endings: { error: null },
  remedies: {
    title: "OpenRouter",
    key: "Check OPENROUTER_API_KEY, and its permissions at openrouter.ai/settings/keys.",
    model: "Set LLM_MODEL to a model of openrouter.ai/models that supports tools, written vendor/model.",
    credit: "Add credit at openrouter.ai/settings/credits, or raise the limit of the key.",
    unreachable: "Check the network, and LLM_BASE_URL if it is set.",
    address: "Check LLM_BASE_URL, and any proxy between here and OpenRouter.",
  },
};

/** Returns a model of any vendor, through OpenRouter. */
export function openrouterModel(settings: AdapterSettings): ModelProvider {
  return chatModel({ ...OPENROUTER, tokens: familyOf(settings.model) }, settings);
}

/**
 * Returns the token family of a model by its vendor. Names have the form vendor/model, and an alias for the newest model of a family begins with a
 * tilde.
 */
function familyOf(model: string): TokenFamily {
  if (/^~?anthropic\//.test(model)) return "anthropic";
  return /^~?openai\//.test(model) ? "openai" : "other";
}
