import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { Refused } from "../refused.ts";
import type { CallState, Ended, Failed, Waiting } from "./call-state.ts";

/** The answer to `tools/call`, in the form of the MCP specification. */
export interface CallResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** The name of the tool that answers how an earlier call stands. */
export const GET_CALL = "toolbus_get_call";

/** Returns the answer about a call: its result, what it waits for, or why it has none. */
export function callResult(state: CallState | Refused): CallResult {
  switch (state.kind) {
    case "ended":
      return endedResult(state);
    case "waiting":
      return waitingResult(state);
    case "failed":
      return failedResult(state);
    case "refused":
      return refusedResult(state);
  }
}

function endedResult({ runId, call, result, text, chars }: Ended): CallResult {
  // The worker's ledger may have shown the outcome of a write after the write had ended as unknown.
  const status = call.settled?.status ?? result.status;
  const meta = { "toolbus/handle": runId, "toolbus/call": call.callId, "toolbus/status": status };
  const settled =
    call.settled === undefined
      ? ""
      : `\n\nThe outcome became known later: ${status === "ok" ? "the write happened" : "the write did not happen"}.`;
  const cut = chars === undefined ? "" : `\n\n[the first ${text.length} of ${chars} characters]`;
  const value = chars === undefined ? objectIn(text) : null;
  return {
    content: [{ type: "text", text: `${text}${cut}${settled}` }],
    ...(value === null ? {} : { structuredContent: value }),
    ...(status === "ok" ? {} : { isError: true }),
    _meta: meta,
  };
}

function waitingResult({ runId, effect, waits }: Waiting): CallResult {
  const approval = waits.find(({ kind }) => kind === "approval");
  const [wait = approval] = approval ? [approval] : waits;
  const how = `Ask later with the tool ${GET_CALL} and {"handle": "${runId}"}. Do not send the call again: that would be another call.`;
  const text = approval
    ? [
        `This write has not happened. It waits until a person approves it (${approval.approvalId ?? "no approval yet"}).`,
        ...(effect === undefined ? [] : [`The write: ${effect}`]),
        approval.says,
        how,
      ]
    : ["The call has no result yet.", ...(wait ? [wait.says] : []), how];
  const structured: JsonObject = {
    status: "waiting",
    handle: runId,
    waitsFor: wait?.kind ?? "agent",
    ...(wait ? { says: wait.says } : {}),
    ...(effect === undefined ? {} : { effect }),
    ...(approval?.approvalId === undefined ? {} : { approvalId: approval.approvalId }),
    ...(approval?.tier === undefined ? {} : { tier: approval.tier }),
    ...(wait?.until === undefined ? {} : { until: wait.until }),
  };
  return { content: [{ type: "text", text: text.join("\n") }], structuredContent: structured, _meta: { "toolbus/handle": runId } };
}

function failedResult({ runId, code, message }: Failed): CallResult {
  return errorResult({ error: message, code, handle: runId }, message, { "toolbus/handle": runId });
}

function refusedResult({ code, detail, remedy, retryAfterS }: Refused): CallResult {
  const after = retryAfterS === undefined ? {} : { retryAfterS };
  return errorResult({ error: detail, code, remedy, ...after }, `${detail} ${remedy}`);
}

function errorResult(structuredContent: JsonObject, text: string, meta?: JsonObject): CallResult {
  return { content: [{ type: "text", text }], structuredContent, isError: true, ...(meta === undefined ? {} : { _meta: meta }) };
}

/** Returns the object that the text is as JSON, or null for any other text. */
function objectIn(text: string): JsonObject | null {
  if (!text.startsWith("{")) return null;
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
