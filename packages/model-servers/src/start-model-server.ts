import { anthropicProtocol } from "./anthropic/anthropic-protocol.ts";
import { bedrockProtocol } from "./bedrock/bedrock-protocol.ts";
import { chatBrain } from "./brains/chat-brain.ts";
import type { Brain, ModelServer, Served } from "./model-server.ts";
import { openaiProtocol } from "./openai/openai-protocol.ts";
import type { Protocol } from "./wire/protocol.ts";
import { serve } from "./wire/serve.ts";

/**
 * Starts a server that simulates a vendor on a free port of loopback. Between requests, it remembers only the facts that the vendor itself would
 * remember. The default brain is `chatBrain`.
 */
export async function startModelServer(vendor: Served, { brain = chatBrain() }: { readonly brain?: Brain } = {}): Promise<ModelServer> {
  const protocol = protocolOf(vendor);
  const { origin, requests, think, failNext, close } = await serve(protocol, brain);
  return { vendor, url: `${origin}${protocol.base}`, key: protocol.key, model: protocol.model, requests, think, failNext, close };
}

function protocolOf(vendor: Served): Protocol {
  switch (vendor) {
    case "anthropic":
      return anthropicProtocol();
    case "openai":
    case "openrouter":
    case "ollama":
    case "compatible":
      return openaiProtocol(vendor);
    case "bedrock":
      return bedrockProtocol();
  }
}
