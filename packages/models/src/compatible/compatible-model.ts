import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { ModelRefused } from "../connect/model-settings.ts";
import { chatModel } from "../openai/chat-model.ts";
import type { ChatVendor } from "../openai/chat-vendor.ts";

/**
 * Any server that speaks OpenAI's chat completions, such as vLLM, LM Studio, llama.cpp, DeepSeek, Mistral or Groq. The adapter omits fields that only
 * some of these servers know.
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
  // If a turn calls tools, DeepSeek and vLLM require its thinking in the requests that contain the results.
  keeps: ["reasoning_content", "reasoning"],
  // These endings are from Mistral, DeepSeek and vLLM, in this order.
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

/** Returns a model of any OpenAI-compatible server. Throws `ModelRefused` without an address. */
export function compatibleModel(settings: AdapterSettings): ModelProvider {
  const { baseUrl } = settings;
  if (baseUrl === null)
    throw new ModelRefused('The provider "compatible" needs an address: set LLM_BASE_URL, for example to http://127.0.0.1:8000/v1.');
  return chatModel({ ...COMPATIBLE, baseUrl }, settings);
}
