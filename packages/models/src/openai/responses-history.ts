import { isJsonObject, type Json, type JsonObject, type TranscriptEntry } from "@toolbus/contracts";
import type { EasyInputMessage, ResponseFunctionToolCall, ResponseInputItem } from "openai/resources/responses/responses";
import { callInput, jsonObjectOf } from "../adapter/call-input.ts";
import { outputText } from "./responses-output.ts";
import { toolNames } from "./sent-tools.ts";
import { type AssistantEntry, writtenHistory } from "./written-history.ts";

export const RESPONSES_API = "openai.responses";

/** Writes a transcript as the JSON array of input items. The transcript must be paired. */
export function responsesHistory(model: string): (transcript: readonly TranscriptEntry[]) => string {
  const wireName = toolNames("openai");
  const write = writtenHistory({
    ids: { pattern: /^[\w-]+$/, maxLength: 64 },
    user: (content) => ({ role: "user", content }) satisfies EasyInputMessage,
    own: (entry) => ownItems(entry, model, wireName),
    made: (entry, ids) => madeItems(entry, ids, wireName),
    result: (output, id) => ({ type: "function_call_output", call_id: id, output }) satisfies ResponseInputItem.FunctionCallOutput,
  });
  return (transcript) => `[${write(transcript).join(",")}]`;
}

type WireName = (name: string) => string;

function madeItems({ text, calls }: AssistantEntry, ids: readonly string[], wireName: WireName): readonly object[] {
  const said: readonly EasyInputMessage[] = text === "" ? [] : [{ role: "assistant", content: text.toWellFormed() }];
  const made: readonly ResponseFunctionToolCall[] = calls.map((call, n) => ({
    type: "function_call",
    call_id: ids[n] ?? call.id,
    name: wireName(call.name),
    arguments: JSON.stringify(callInput(call.arguments.toWellFormed())),
  }));
  return [...said, ...made];
}

/** Returns the output items with their encrypted reasoning. Returns null if another model produced them, or if they differ from the entry. */
function ownItems({ vendor: kept, text, calls }: AssistantEntry, model: string, wireName: WireName): readonly JsonObject[] | null {
  if (kept?.api !== RESPONSES_API || kept.model !== model || !Array.isArray(kept.payload)) return null;
  const items = (kept.payload as readonly Json[]).filter(isJsonObject);
  const made = items.filter((item) => item["type"] === "function_call");
  if (made.length !== calls.length || outputText(items) !== text) return null;
  const paired = made.every(({ call_id, name, arguments: written }, n) => {
    const call = calls[n];
    if (call === undefined || call_id !== call.id || name !== wireName(call.name)) return false;
    return typeof written === "string" && jsonObjectOf(written) !== null;
  });
  return paired ? items : null;
}
