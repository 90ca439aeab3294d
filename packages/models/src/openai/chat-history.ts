import { isJsonObject, type Json, type JsonObject, type TranscriptEntry } from "@toolbus/contracts";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionSystemMessageParam,
  ChatCompletionToolMessageParam,
  ChatCompletionUserMessageParam,
} from "openai/resources/chat/completions";
import { callInput, jsonObjectOf } from "../adapter/call-input.ts";
import type { IdForm } from "../adapter/vendor-id.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { toolNames } from "./sent-tools.ts";
import { type AssistantEntry, writtenHistory } from "./written-history.ts";

/** Writes a prompt as the JSON array of chat messages. The transcript must be paired. */
export function chatHistory(vendor: ChatVendor, model: string): (transcript: readonly TranscriptEntry[], system: string) => string {
  const wireName = toolNames(vendor.dialect);
  const write = writtenHistory({
    ids: CALL_IDS,
    user: (content) => ({ role: "user", content }) satisfies ChatCompletionUserMessageParam,
    own: (entry) => ownMessage(entry, vendor.api, model, wireName),
    made: (entry, ids) => madeMessage(entry, ids, wireName),
    result: (content, id) => ({ role: "tool", tool_call_id: id, content }) satisfies ChatCompletionToolMessageParam,
  });
  let last = { system: "", json: "" };

  return (transcript, system) => {
    if (last.system !== system) {
      const message: ChatCompletionSystemMessageParam = { role: "system", content: system.toWellFormed() };
      last = { system, json: `${JSON.stringify(message)},` };
    }
    return `[${last.json}${write(transcript).join(",")}]`;
  };
}

/** OpenAI refuses longer ids. The other vendors document no limit, but most of them forward requests to a vendor with a limit. */
const CALL_IDS: IdForm = { pattern: /^[\w.:-]+$/, maxLength: 40 };

type WireName = (name: string) => string;

/** Returns the message of a turn from the neutral form. It omits a turn without text and calls. */
function madeMessage({ text, calls }: AssistantEntry, ids: readonly string[], wireName: WireName): readonly object[] {
  if (calls.length === 0 && text === "") return [];
  const message: ChatCompletionAssistantMessageParam = { role: "assistant", content: text === "" ? null : text.toWellFormed() };
  if (calls.length > 0)
    message.tool_calls = calls.map((call, n) => ({
      id: ids[n] ?? call.id,
      type: "function",
      // Some servers parse the arguments and refuse the conversation if they are not an object.
      function: { name: wireName(call.name), arguments: JSON.stringify(callInput(call.arguments.toWellFormed())) },
    }));
  return [message];
}

/**
 * Returns the turn in the form in which this model sent it. Returns null if another model or vendor sent it, or if it differs from the entry. So
 * content that was removed from the transcript does not return to the model.
 */
function ownMessage(
  { vendor: kept, text, calls }: AssistantEntry,
  api: string,
  model: string,
  wireName: WireName,
): readonly JsonObject[] | null {
  if (kept?.api !== api || kept.model !== model || !isJsonObject(kept.payload)) return null;
  const { role, content, tool_calls: said = [] } = kept.payload;
  if (role !== "assistant" || (content ?? "") !== text || !Array.isArray(said) || said.length !== calls.length) return null;
  const paired = calls.every(({ id, name }, n) => {
    const call = (said as readonly Json[])[n];
    if (!isJsonObject(call) || call["id"] !== id || !isJsonObject(call["function"])) return false;
    const { name: saidName, arguments: written } = call["function"];
    return saidName === wireName(name) && typeof written === "string" && jsonObjectOf(written) !== null;
  });
  return paired ? [kept.payload] : null;
}
