import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelCall, ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { charsFor, estimateTextTokens, estimateTokens } from "./estimate-tokens.ts";
import { nextStep } from "./next-step.ts";
import type { Step } from "./step.ts";
import { streamText } from "./stream-text.ts";

const MODEL = "rules-1";

/**
 * Returns a model that consists of fixed rules, so that everything runs without a key and without a network. The rules investigate releases and
 * alerts, and call the tools that a message names. They understand nothing else. Their texts say that they are not a language model. The same request
 * always receives the same reply. Usage is estimated at four characters per token.
 */
export function offlineModel(): ModelProvider {
  return {
    name: "offline",
    model: MODEL,
    dialect: "any",
    capabilities: {
      tools: true,
      streaming: true,
      vision: false,
      sampling: true,
      contextTokens: 200_000,
      maxOutputTokens: 65_536,
      resultChars: 64_000,
    },
    complete,
    estimateTokens,
  };
}

async function complete(request: ModelRequest, { signal, onText }: ModelContext): Promise<ModelReply> {
  assertPaired(request.transcript);
  signal.throwIfAborted();
  const offered = request.toolChoice === "none" ? { ...request, tools: [] } : request;
  const reply = replyOf(nextStep(offered), offered);
  await streamText(reply.text, onText, signal);
  return reply;
}

function replyOf(step: Step, request: ModelRequest): ModelReply {
  const ids = nextCallIds(request.transcript, step.calls.length);
  const calls = step.calls.map((call, n) => ({ id: ids[n] ?? "", ...call }));
  const outputTokens = estimateTextTokens(step.text + calls.map((call) => call.arguments).join(""));
  // A reply that is too long is truncated, as for any model. It contains the text up to the limit and no incomplete call.
  if (outputTokens > request.maxTokens) return reply(request, step.text.slice(0, charsFor(request.maxTokens)), [], "max_tokens");
  return reply(request, step.text, calls, calls.length > 0 ? "tool_use" : "end_turn");
}

function reply({ transcript, system }: ModelRequest, text: string, calls: readonly ModelCall[], stop: ModelReply["stop"]): ModelReply {
  const outputTokens = estimateTextTokens(text + calls.map((call) => call.arguments).join(""));
  return { text, calls, stop, usage: { inputTokens: estimateTokens(transcript, system), outputTokens, estimated: true }, model: MODEL };
}

/**
 * Returns ids of the form `off_<n>`, where `n` continues the count of calls. The same transcript gives the same ids. It skips ids that a trimmed
 * transcript still contains.
 */
function nextCallIds(transcript: readonly TranscriptEntry[], count: number): readonly string[] {
  const ids = transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map((call) => call.id) : []));
  const used = new Set(ids);
  const next: string[] = [];
  for (let n = ids.length; next.length < count; n++) if (!used.has(`off_${n}`)) next.push(`off_${n}`);
  return next;
}
