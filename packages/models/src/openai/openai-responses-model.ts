import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import type { ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { tokenEstimates } from "../tokens/estimate-tokens.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { openaiClient } from "./client.ts";
import { heardUntilAborted } from "./heard-until-aborted.ts";
import { OPENAI, OPENAI_REMEDIES } from "./openai.ts";
import { replyOf } from "./reply-of.ts";
import { RESPONSES_API, responsesHistory } from "./responses-history.ts";
import { responsesRequest, responsesTool } from "./responses-request.ts";
import { responsesTurn } from "./responses-turn.ts";
import { toolsSender } from "./sent-tools.ts";
import { streamTurn } from "./stream-turn.ts";
import { type Asked, unfinished, unknownEnding } from "./vendor-error.ts";

/**
 * Returns a model of OpenAI that is called through the Responses API. Each request contains the encrypted reasoning of earlier turns, because the
 * vendor stores nothing.
 */
export function openaiResponsesModel(settings: AdapterSettings): ModelProvider {
  const { model, apiKey, facts } = settings;
  const client = openaiClient(settings, OPENAI, "responses");
  const history = responsesHistory(model);
  const send = toolsSender("openai", responsesTool);
  const estimates = tokenEstimates("openai");
  return { name: OPENAI.name, model, dialect: "openai", capabilities: capabilitiesOf(facts), complete, ...estimates };

  async function complete(request: ModelRequest, context: ModelContext): Promise<ModelReply> {
    const { transcript, toolChoice } = request;
    const { signal } = context;
    assertPaired(transcript);
    signal.throwIfAborted();
    const tools = send(request.tools);
    const asked: Asked = { remedies: OPENAI_REMEDIES, model, apiKey, url: client.url, toolNames: tools.names };
    const body = responsesRequest(model, request, { input: history(transcript), tools, sampling: facts.sampling });
    const turn = responsesTurn(tools, toolChoice !== "none" && request.tools.length > 0, heardUntilAborted(context), settings.bounds);
    await streamTurn({ client, body, signal, asked }, turn.read);
    const { ending } = turn;
    if (ending === null) throw unfinished(asked);
    const whole = turn.whole(transcript);
    if (whole === null) throw unknownEnding(ending, asked);
    return replyOf(whole, request, { api: RESPONSES_API, model, ...estimates });
  }
}
