import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelProvider } from "../model-provider.ts";
import { chatModel } from "../openai/chat-model.ts";
import type { ChatVendor } from "../openai/chat-vendor.ts";

/**
 * Ollama through its chat completions (docs.ollama.com/api/openai-compatibility). The server ignores `tool_choice` and `parallel_tool_calls`. It
 * sends each call whole, sometimes without an id. It refuses a turn whose arguments are not a JSON object.
 */
const OLLAMA: Omit<ChatVendor, "remedies"> = {
  name: "ollama",
  api: "ollama.chat",
  dialect: "ollama",
  tokens: "other",
  baseUrl: "http://127.0.0.1:11434/v1",
  headers: {},
  lengthMember: "max_tokens",
  toolChoice: false,
  parallelCalls: false,
  keeps: ["reasoning"],
  // Ollama loaded or unloaded the model, and sent no reply.
  endings: { load: null, unload: null },
};

/** Returns a model on an Ollama server. The server's address may include `/v1` or not. */
export function ollamaModel(settings: AdapterSettings): ModelProvider {
  const { model, baseUrl } = settings;
  const vendor: ChatVendor = {
    ...OLLAMA,
    remedies: {
      title: "Ollama",
      key: "Ollama itself needs no key: check the proxy in front of it.",
      model: `Fetch it with "ollama pull ${model}", or set LLM_MODEL to one that "ollama list" shows.`,
      credit: "Ollama itself needs no credit: check the proxy in front of it.",
      unreachable: 'Is it running? Start it with "ollama serve", or set OLLAMA_HOST to where it runs.',
      address: "Check OLLAMA_HOST: something else answers there.",
    },
  };
  return chatModel(vendor, { ...settings, baseUrl: baseUrl === null ? null : versioned(baseUrl) });
}

function versioned(address: string): string {
  const bare = address.replace(/\/+$/, "");
  return bare.endsWith("/v1") ? bare : `${bare}/v1`;
}
