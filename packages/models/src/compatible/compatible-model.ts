import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { chatModel } from "../openai/chat-model.ts";
import type { ChatVendor } from "../openai/chat-vendor.ts";

/**
 * Any server that speaks OpenAI's chat completions: vLLM, LM Studio, llama.cpp, DeepSeek, Mistral, Groq. Fields that only some of them know are not sent.
 */
const COMPATIBLE: Omit<ChatVendor, "baseUrl"> = {
  name: "compatible",
  api: "compatible.chat",
  dialect: "compatible",
  tokens: "other",
  headers: {},
  lengthMember: "max_tokens",
  toolChoice: true,
  parallelCalls: true,
  // DeepSeek and vLLM require a turn's thinking back while its tools run.
  keeps: ["reasoning_content", "reasoning"],
  // Mistral; DeepSeek; vLLM.
  endings: { model_length: "max_tokens", insufficient_system_resource: null, abort: null },
  remedies: {
    title: "The model server",
    key: "Check LLM_API_KEY.",
    model: "Set LLM_MODEL to a model that the server has, and check that LLM_BASE_URL ends as its documentation says, often in /v1.",
    credit: "Check the account there.",
    unreachable: "Is it running? Check LLM_BASE_URL.",
    address: "Check LLM_BASE_URL: it should be the address before /chat/completions, often ending in /v1.",
  },
};

/** A model of any OpenAI-compatible server. Throws `ModelRefused` without an address. */
export function compatibleModel(settings: AdapterSettings): ModelProvider {
  const { baseUrl } = settings;
  if (baseUrl === null)
    throw new ModelRefused('The provider "compatible" needs an address: set LLM_BASE_URL, for example to http://127.0.0.1:8000/v1.');
  return chatModel({ ...COMPATIBLE, baseUrl }, settings);
}
