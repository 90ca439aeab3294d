import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelCall, ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { charsFor, estimateTextTokens, estimateTokens } from "./estimate-tokens.ts";
import { nextStep, type Step } from "./next-step.ts";
import { streamText } from "./stream-text.ts";

const MODEL = "rules-1";

/**
 * The offline investigator: fixed rules in the place of a language model, so that an investigation runs without key and network. It follows the
 * transcript it is given: the same request gets the same reply. It understands release investigations and nothing else, and says in
 * everything it writes that it is no language model. Usage is estimated at four characters a token.
 */
export function offlineModel(): ModelProvider {
  return {
    name: "offline",
    model: MODEL,
    capabilities: { tools: true, streaming: true, vision: false },
    complete,
    estimateTokens,
  };
}

async function complete(request: ModelRequest, { signal, onText }: ModelContext): Promise<ModelReply> {
  assertPaired(request.transcript);
  signal.throwIfAborted();
  const reply = replyOf(nextStep(request), request);
  await streamText(reply.text, onText, signal);
  return reply;
}

function replyOf(step: Step, request: ModelRequest): ModelReply {
  const call = step.call && { id: nextCallId(request.transcript), name: step.call.name, arguments: JSON.stringify(step.call.arguments) };
  const outputTokens = estimateTextTokens(step.text + (call?.arguments ?? ""));
  // Cut off like any model would be: the text as far as it goes, and no half call.
  if (outputTokens > request.maxTokens) return reply(request, step.text.slice(0, charsFor(request.maxTokens)), [], "max_tokens");
  return call ? reply(request, step.text, [call], "tool_use") : reply(request, step.text, [], "end_turn");
}

function reply({ transcript, system }: ModelRequest, text: string, calls: readonly ModelCall[], stop: ModelReply["stop"]): ModelReply {
  const outputTokens = estimateTextTokens(text + calls.map((call) => call.arguments).join(""));
  return { text, calls, stop, usage: { inputTokens: estimateTokens(transcript, system), outputTokens, estimated: true }, model: MODEL };
}

/** `off_<n>`, n being the number of calls so far: the same transcript gives the same id. Moves on where a trimmed transcript still holds that id. */
function nextCallId(transcript: readonly TranscriptEntry[]): string {
  const ids = transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map((call) => call.id) : []));
  const used = new Set(ids);
  let n = ids.length;
  while (used.has(`off_${n}`)) n += 1;
  return `off_${n}`;
}
