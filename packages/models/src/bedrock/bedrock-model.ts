import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { tokenEstimates } from "../tokens/estimate-tokens.ts";
import { untilAborted } from "../adapter/until-aborted.ts";
import { wireTools } from "../adapter/wire-tools.ts";
import type { BedrockSettings } from "./bedrock-settings.ts";
import { type BedrockClient, bedrockClient } from "./client.ts";
import { bedrockError } from "./errors.ts";
import { readMessage } from "./read-message.ts";
import { replyOf } from "./reply.ts";
import { converseRequest } from "./request.ts";

/**
 * Returns a model of Amazon Bedrock that speaks Converse and supports tools. The protocol has no choice `none` and no limit of one call per turn. If
 * the request allows no call, the adapter drops the calls of the answer.
 */
export function bedrockModel(settings: BedrockSettings): ModelProvider {
  const { model, facts } = settings;
  const { contextTokens, maxOutputTokens, vision, tools = true, sampling, resultChars } = facts;
  const client = bedrockClient(settings);
  return {
    name: "bedrock",
    model,
    dialect: "bedrock",
    capabilities: { tools, streaming: true, vision, sampling, contextTokens, maxOutputTokens, resultChars },
    complete: (request, context) => complete(client, settings, request, context),
    ...tokenEstimates("bedrock"),
  };
}

async function complete(
  client: BedrockClient,
  settings: BedrockSettings,
  request: ModelRequest,
  context: ModelContext,
): Promise<ModelReply> {
  assertPaired(request.transcript);
  const { signal } = context;
  const tools = wireTools(request.tools, "bedrock");
  const { input, prefix } = converseRequest(request, tools, settings);
  return untilAborted(signal, async () => {
    const seen = { response: null };
    // The SDK releases an answer only when its signal aborts. Without this abort, the connection of an answer that is not read to its end would stay
    // open.
    const ended = new AbortController();
    try {
      const events = await client(input, AbortSignal.any([signal, ended.signal]), seen);
      return replyOf(await readMessage(events, { request, tools, context, bounds: settings.bounds }), {
        request,
        tools,
        model: settings.model,
        prefix,
      });
    } catch (error) {
      throw bedrockError(error, { settings, toolNames: tools.names, response: seen.response });
    } finally {
      ended.abort();
    }
  });
}
