import type { Json } from "@toolbus/contracts";
import type { Brain } from "../model-server.ts";
import { objectOf } from "../wire/fields.ts";
import type { Arrived, Plain, Protocol, Reply } from "../wire/protocol.ts";
import { firstRefusal, refusalText, type Refusal } from "../wire/rule.ts";
import { turnOf } from "../wire/turn.ts";
import { chatCompletion, chatStream } from "./chat-answer.ts";
import { askedOfChat, chatAsk, type ChatAsk } from "./chat-ask.ts";
import { chatRules } from "./chat-rules.ts";
import { CHAT_VENDORS, type ChatVendor } from "./chat-vendor.ts";
import { ollamaOwn } from "./ollama-own.ts";
import { openaiDoorRules } from "./openai-door-rules.ts";
import { openaiError } from "./openai-error.ts";
import { itemId, responseObject, responseStream } from "./responses-answer.ts";
import { askedOfResponses, responsesAsk, type ResponsesAsk, type ResponsesMemory } from "./responses-ask.ts";
import { responsesRules } from "./responses-rules.ts";

/**
 * Returns the protocol of chat completions and the list of models, in the form of OpenAI and its imitators. It includes OpenAI's responses and
 * Ollama's own endpoints.
 */
export function openaiProtocol(name: ChatVendor["name"]): Protocol {
  const vendor = CHAT_VENDORS[name];
  const { key, model, base } = vendor;
  // Ollama's own API is beside its copy of OpenAI's API, so its base address is the bare origin.
  const root = name === "ollama" ? "/v1" : base;
  const memory: ResponsesMemory = new Map();
  return {
    key,
    model,
    base,
    failure: (status, message) => failure(vendor, status, message),
    answer: (request, brain) => answer(vendor, root, request, brain, memory),
  };
}

function answer(vendor: ChatVendor, root: string, request: Arrived, brain: Brain, memory: ResponsesMemory): Reply {
  const own = vendor.name === "ollama" ? ollamaOwn(request, vendor) : null;
  if (own) return own;
  const ask = chatAsk(vendor, request);
  const atDoor = firstRefusal(openaiDoorRules, ask);
  if (atDoor) return refused(vendor, atDoor);
  const endpoint = `${request.method} ${request.path}`;
  if (endpoint === "POST /v1/responses" && vendor.name === "openai") return respond(responsesAsk(vendor, request, memory), brain);
  switch (endpoint) {
    case `GET ${root}/models`:
      return plain({ object: "list", data: [modelInfo(vendor)] });
    case `GET ${root}/models/${vendor.model}`:
      return plain(modelInfo(vendor));
    case `POST ${root}/chat/completions`:
      return complete(ask, brain);
    default:
      return refused(vendor, {
        rule: "known endpoint",
        status: 404,
        message: `Unknown request URL: ${request.method} ${request.path}.`,
        code: "unknown_url",
      });
  }
}

function complete(ask: ChatAsk, brain: Brain): Reply {
  const { vendor, request, body } = ask;
  const refusal = firstRefusal(chatRules, ask);
  if (refusal) return refused(vendor, refusal);
  const asked = askedOfChat(ask);
  const turn = turnOf(brain(asked), asked, request.text, (digest) => `call_${digest.slice(0, 24)}`);
  if (body["stream"] === true) {
    const withUsage = vendor.name === "openrouter" || objectOf(body["stream_options"])["include_usage"] === true;
    return chatStream(vendor, turn, asked.model, request.text, withUsage);
  }
  const completion = chatCompletion(vendor, turn, asked.model, request.text);
  return { ...plain(completion), unended: { ...completion, choices: [] } };
}

function respond(ask: ResponsesAsk, brain: Brain): Reply {
  const refusal = firstRefusal(responsesRules, ask);
  if (refusal) return refused(ask.vendor, refusal);
  const asked = askedOfResponses(ask);
  const turn = turnOf(brain(asked), asked, ask.request.text, (digest) => `call_${digest.slice(0, 24)}`);
  if (turn.thinking !== "") for (const index of turn.calls.keys()) ask.memory.set(itemId(ask, "fc", index), itemId(ask, "rs", 0));
  if (ask.body["stream"] === true) return responseStream(ask, turn);
  const response = responseObject(ask, turn);
  return { ...plain(response), unended: { ...response, status: "in_progress", output: [] } };
}

function modelInfo({ name, model }: ChatVendor): Json {
  const info = { id: model, object: "model", created: 1_790_000_000, owned_by: name };
  return name === "openrouter" ? { ...info, name: model, context_length: 1_000_000, supported_parameters: ["tools", "tool_choice"] } : info;
}

function plain(body: Json): Plain {
  return { kind: "plain", status: 200, headers: { "x-request-id": "req_toolbus" }, body };
}

function refused({ name }: ChatVendor, refusal: Refusal): Plain {
  const { status, message, code, param } = refusal;
  return { ...plain(openaiError(name, status, message, code, param)), status, refusal: refusalText(refusal) };
}

function failure({ name }: ChatVendor, status: number, message: string): Plain {
  return { ...plain(openaiError(name, status, message)), status };
}
