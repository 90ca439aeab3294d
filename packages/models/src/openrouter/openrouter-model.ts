import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { chatModel } from "../openai/chat-model.ts";
import type { ChatVendor } from "../openai/chat-vendor.ts";
import type { TokenFamily } from "../tokens/token-family.ts";

/**
 * OpenRouter: chat completions in front of many vendors (openrouter.ai/docs). It always reports what a turn cost; thinking is sent in both directions
 * as `reasoning_details`; a failure of a provider behind it is reported in the stream, with status 200.
 */
const OPENROUTER: Omit<ChatVendor, "tokens"> = {
  name: "openrouter",
  api: "openrouter.chat",
  dialect: "openrouter",
  baseUrl: "https://openrouter.ai/api/v1",
  // The caller's name on its activity page.
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

/** A model of any vendor, through OpenRouter. */
export function openrouterModel(settings: AdapterSettings): ModelProvider {
  return chatModel({ ...OPENROUTER, tokens: familyOf(settings.model) }, settings);
}

/** Models are written vendor/model; an alias for the newest model of a family begins with a tilde. */
function familyOf(model: string): TokenFamily {
  if (/^~?anthropic\//.test(model)) return "anthropic";
  return /^~?openai\//.test(model) ? "openai" : "other";
}
