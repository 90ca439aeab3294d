import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { tokenEstimates } from "../tokens/estimate-tokens.ts";
import { untilAborted } from "../adapter/until-aborted.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import { type AnthropicClient, anthropicClient } from "./client.ts";
import { anthropicError } from "./errors.ts";
import { readMessage } from "./read-message.ts";
import { replyOf } from "./reply.ts";
import { messageRequest } from "./request.ts";

/**
 * Returns Claude over Anthropic's Messages API of 2026-10-21. The adapter sends no temperature. It sets cache marks at the end of the system prompt
 * and at the end of the transcript.
 */
export function anthropicModel(settings: AdapterSettings): ModelProvider {
  const { model, facts } = settings;
  const { contextTokens, maxOutputTokens, vision, tools = true, resultChars } = facts;
  const client = anthropicClient(settings);
  return {
    name: "anthropic",
    model,
    dialect: "anthropic",
    capabilities: { tools, streaming: true, vision, sampling: false, contextTokens, maxOutputTokens, resultChars },
    complete: (request, context) => complete(client, settings, request, context),
    ...tokenEstimates("anthropic"),
  };
}

async function complete(
  client: AnthropicClient,
  settings: AdapterSettings,
  request: ModelRequest,
  context: ModelContext,
): Promise<ModelReply> {
  assertPaired(request.transcript);
  const { signal } = context;
  const tools = wireTools(request.tools, "anthropic");
  const { params, prefix } = messageRequest(request, tools, settings);
  return untilAborted(signal, async () => {
    try {
      const message = await readMessage(await client(params, signal), { request, tools, context, bounds: settings.bounds });
      return replyOf(message, { request, tools, model: settings.model, prefix });
    } catch (error) {
      throw anthropicError(error, { settings, toolNames: tools.names });
    }
  });
}
