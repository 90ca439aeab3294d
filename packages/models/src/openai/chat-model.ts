import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { tokenEstimates } from "../tokens/estimate-tokens.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { chatHistory } from "./chat-history.ts";
import { chatRequest, chatTool } from "./chat-request.ts";
import { chatTurn } from "./chat-turn.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { openaiClient } from "./client.ts";
import { heardUntilAborted } from "./heard-until-aborted.ts";
import { replyOf } from "./reply-of.ts";
import { toolsSender } from "./sent-tools.ts";
import { streamTurn } from "./stream-turn.ts";
import { type Asked, gaveUp, unfinished, unknownEnding } from "./vendor-error.ts";

/** Returns a model behind OpenAI's chat completions, whoever serves them. Its errors name the vendor and the remedy. */
export function chatModel(vendor: ChatVendor, settings: AdapterSettings): ModelProvider {
  const { model, apiKey, facts } = settings;
  const client = openaiClient(settings, vendor, "chat/completions");
  const history = chatHistory(vendor, model);
  const send = toolsSender(vendor.dialect, chatTool);
  const estimates = tokenEstimates(vendor.tokens);
  return { name: vendor.name, model, dialect: vendor.dialect, capabilities: capabilitiesOf(facts), complete, ...estimates };

  async function complete(request: ModelRequest, context: ModelContext): Promise<ModelReply> {
    const { transcript, system } = request;
    const { signal } = context;
    assertPaired(transcript);
    signal.throwIfAborted();
    const callable = request.toolChoice !== "none" && request.tools.length > 0;
    const tools = send(callable || vendor.toolChoice ? request.tools : NONE);
    const asked: Asked = { remedies: vendor.remedies, model, apiKey, url: client.url, toolNames: tools.names };
    const body = chatRequest(vendor, model, request, { messages: history(transcript, system), tools, sampling: facts.sampling });
    const turn = chatTurn(vendor, tools, callable, heardUntilAborted(context), settings.bounds);
    await streamTurn({ client, body, signal, asked }, turn.read);
    const { ending } = turn;
    if (ending === null) throw unfinished(asked);
    const whole = turn.whole(transcript);
    if (whole === null) throw vendor.endings[ending] === null ? gaveUp(asked) : unknownEnding(ending, asked);
    return replyOf(whole, request, { api: vendor.api, model, ...estimates });
  }
}

const NONE: ModelRequest["tools"] = [];
