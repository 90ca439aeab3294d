import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelCall, ModelContext, ModelProvider, ModelReply, ModelRequest } from "../model-provider.ts";
import { assertPaired } from "../pairing.ts";
import { charsFor, estimateTextTokens, estimateTokens } from "./estimate-tokens.ts";
import { nextStep } from "./next-step.ts";
import type { Step } from "./step.ts";
import { streamText } from "./stream-text.ts";

const MODEL = "rules-1";

/**
 * Fixed rules instead of a language model, so that everything runs without key and network. They investigate releases and alerts, and run the tool
 * that a message names. They follow the given transcript: the same request gets the same reply. They understand nothing else, and say in every
 * text that they are not a language model. Usage is estimated at four characters per token.
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
  // Truncated like the reply of any model: the text up to the limit, and no incomplete call.
  if (outputTokens > request.maxTokens) return reply(request, step.text.slice(0, charsFor(request.maxTokens)), [], "max_tokens");
  return reply(request, step.text, calls, calls.length > 0 ? "tool_use" : "end_turn");
}

function reply({ transcript, system }: ModelRequest, text: string, calls: readonly ModelCall[], stop: ModelReply["stop"]): ModelReply {
  const outputTokens = estimateTextTokens(text + calls.map((call) => call.arguments).join(""));
  return { text, calls, stop, usage: { inputTokens: estimateTokens(transcript, system), outputTokens, estimated: true }, model: MODEL };
}

/** `off_<n>`, where n continues the count of calls: the same transcript gives the same ids. Skips ids that a trimmed transcript still contains. */
function nextCallIds(transcript: readonly TranscriptEntry[], count: number): readonly string[] {
  const ids = transcript.flatMap((entry) => (entry.type === "assistant" ? entry.calls.map((call) => call.id) : []));
  const used = new Set(ids);
  const next: string[] = [];
  for (let n = ids.length; next.length < count; n++) if (!used.has(`off_${n}`)) next.push(`off_${n}`);
  return next;
}
