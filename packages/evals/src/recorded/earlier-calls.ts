import { isJsonObject, type Json, type JsonObject, type RunRecord } from "@toolbus/contracts";

/** A call of an earlier run of the conversation, as the transcript has it. */
export interface EarlierCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly status: string;
  readonly content: string;
}

/**
 * Returns the calls of the earlier runs of a conversation, because a scenario sends the messages of these runs again. Leaves out those whose result is
 * not in the transcript, such as a long one.
 */
export function earlierCalls({ run, transcript }: Pick<RunRecord, "run" | "transcript">): readonly EarlierCall[] {
  const entries = transcript.map(({ entry }) => entry).filter(({ runId }) => runId !== run.runId);
  const asked = new Map(
    entries.flatMap((entry) =>
      entry.type === "assistant" && entry.provider !== "toolbus" ? entry.calls.map((call) => [call.callId, call] as const) : [],
    ),
  );
  return entries.flatMap((entry) => {
    const call = entry.type === "result" ? asked.get(entry.callId) : undefined;
    if (entry.type !== "result" || !call || call.tool !== undefined || entry.indexKey !== undefined) return [];
    const args = parsed(call.arguments || "{}");
    return isJsonObject(args) ? [{ tool: entry.name, arguments: args, status: entry.status, content: entry.content }] : [];
  });
}

/** Returns the code and the message of a failed result, as a model reads them. */
export function errorIn(content: string): { readonly code: string; readonly message: string } | null {
  const read = parsed(content);
  if (!isJsonObject(read)) return null;
  const { error: code, message } = read;
  return typeof code === "string" && typeof message === "string" ? { code, message } : null;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // What a model wrote or a tool said need not be JSON.
    return null;
  }
}
