import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { chatModel } from "./chat-model.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { OPENAI, OPENAI_REMEDIES } from "./openai.ts";

/** OpenAI's own chat completions (API reference of the `openai` SDK 7.57.0). */
const CHAT: ChatVendor = {
  ...OPENAI,
  api: "openai.chat",
  dialect: "openai",
  tokens: "openai",
  lengthMember: "max_completion_tokens",
  toolChoice: true,
  parallelCalls: true,
  keeps: [],
  endings: {},
  remedies: OPENAI_REMEDIES,
};

/** Returns a provider that calls a model of OpenAI through the chat completions API. */
export function openaiModel(settings: AdapterSettings): ModelProvider {
  return chatModel(CHAT, settings);
}
