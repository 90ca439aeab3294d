import type { Json } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";
import { listOf, objectOf } from "../wire/fields.ts";
import type { Arrived, Plain, Protocol, Reply } from "../wire/protocol.ts";
import { firstRefusal, refusalText, type Refusal } from "../wire/rule.ts";
import { promptTokens, turnOf } from "../wire/turn.ts";
import { anthropicMessage, anthropicStream } from "./anthropic-answer.ts";
import { anthropicAsk, askedOfAnthropic, type Memory, pausedTurn } from "./anthropic-ask.ts";
import { anthropicError } from "./anthropic-error.ts";
import { ANTHROPIC_KEY, ANTHROPIC_MODEL, anthropicDoorRules, anthropicRules } from "./anthropic-rules.ts";
import { thinkingSignature } from "./thinking-block.ts";

/** Returns the protocol of the Messages API with token counting and the list of models, in the API versions 2023-06-01 and 2026-10-21. */
export function anthropicProtocol(): Protocol {
  const memory: Memory = { paused: new Set(), thought: new Map() };
  return { key: ANTHROPIC_KEY, model: ANTHROPIC_MODEL, base: "", failure, answer: (request, brain) => answer(request, brain, memory) };
}

function answer(request: Arrived, brain: Brain, memory: Memory): Reply {
  const counting = request.path === "/v1/messages/count_tokens";
  const ask = anthropicAsk(request, counting, memory);
  const atDoor = firstRefusal(anthropicDoorRules, ask);
  if (atDoor) return refused(atDoor);
  if (request.path === "/v1/models")
    return plain({ data: [modelInfo()], has_more: false, first_id: ANTHROPIC_MODEL, last_id: ANTHROPIC_MODEL });
  if (request.path === `/v1/models/${ANTHROPIC_MODEL}`) return plain(modelInfo());
  const refusal = firstRefusal(anthropicRules, ask);
  if (refusal) return refused(refusal);
  const asked = askedOfAnthropic(ask);
  if (counting) return plain({ input_tokens: promptTokens(asked).prompt });
  const turn = turnOf(brain(asked), asked, request.text, (digest) => `toolu_01${digest.slice(0, 22)}`);
  const signature = thinkingSignature(turn.thinking, ask, ask.messages.length);
  const message = anthropicMessage(turn, asked.model, request.text, signature);
  if (turn.stop === "pause") memory.paused.add(pausedTurn(listOf(message["content"]).map(objectOf)));
  if (turn.thinking !== "") for (const { id } of turn.calls) memory.thought.set(id, signature);
  if (ask.body["stream"] === true) return anthropicStream(turn, asked.model, request.text, signature);
  return { ...plain(message), unended: { ...message, stop_reason: null } };
}

function modelInfo(): Json {
  return {
    type: "model",
    id: ANTHROPIC_MODEL,
    display_name: "The model of the test server",
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: 1_000_000,
    max_tokens: 64_000,
    capabilities: null,
  };
}

function plain(body: Json): Plain {
  return { kind: "plain", status: 200, headers: { "request-id": "req_011CTestToolbus" }, body };
}

function refused(refusal: Refusal): Plain {
  return { ...failure(refusal.status, refusal.message), refusal: refusalText(refusal) };
}

function failure(status: number, message: string): Plain {
  return { kind: "plain", status, headers: { "request-id": "req_011CTestToolbus" }, body: anthropicError(status, message) };
}
