import {
  type Call,
  EVENT_CONTENT_CHARS,
  type Json,
  keys,
  type RunEvent,
  type StoredEntry,
  type StoredRunEvent,
  type ToolResult,
} from "@toolbus/contracts";
import type { LogEntry, StateStore } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";

type Reader = Pick<StateStore, "range">;
type ResultEntry = Extract<StoredEntry, { type: "result" }>;

/** Replaces the content of a result whose conversation is no longer kept. */
export const RESULT_GONE = "[The conversation that had this result is no longer kept.]";

/**
 * Returns these events of a run as they are sent over the wire. The log does not repeat the content of a result that the conversation's transcript has
 * (decision 0121), so it is filled in from there.
 */
export async function wholeEvents(state: Reader, conversationId: string, logged: readonly LogEntry[]): Promise<readonly RunEvent[]> {
  const events = logged.map(({ value }) => value as unknown as StoredRunEvent);
  const wanted = events.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  if (wanted.length === 0) return events;
  const results = await resultsAt(state, conversationId, wanted);
  return events.map((stored) => {
    const { entry, ...event } = stored;
    if (entry === undefined || event.type !== "call.resolved") return stored;
    const found = results.get(entry);
    const content = found?.callId === event.callId ? found.content : RESULT_GONE;
    // What viewers see of a result is censored, as every text of an event is. The transcript has what the model read.
    return { ...event, content: redacted(content.slice(0, EVENT_CONTENT_CHARS)) };
  });
}

/** Returns the result of a call, with the content that the transcript has. Returns null if the call has none, or if its content is no longer kept. */
export async function wholeResult(
  state: Reader,
  { callId, conversationId, entry, result }: Pick<Call, "callId" | "conversationId" | "entry" | "result">,
): Promise<ToolResult | null> {
  if (!result || !entry) return result ?? null;
  const found = (await resultsAt(state, conversationId, [entry.sequence])).get(entry.sequence);
  return found?.callId === callId ? { ...result, content: found.content } : null;
}

/** An agent that is taken over may write entries of any form, and they must not break a stream. */
function isResult(entry: StoredEntry | null): entry is ResultEntry {
  return entry?.type === "result" && typeof entry.content === "string";
}

/** Returns the results among these entries of the transcript, by number. Adjacent entries are read together. */
async function resultsAt(state: Reader, conversationId: string, sequences: readonly number[]): Promise<ReadonlyMap<number, ResultEntry>> {
  const ranges: { after: number; limit: number }[] = [];
  // An agent that is taken over may write any number.
  for (const sequence of sequences.filter((one) => Number.isSafeInteger(one) && one > 0).toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    const next = last ? last.after + last.limit + 1 : 0;
    if (last && sequence === next) last.limit++;
    else if (sequence >= next) ranges.push({ after: sequence - 1, limit: 1 });
  }
  const read = await Promise.all(ranges.map((range) => state.range(keys.transcript(conversationId), range)));
  const entries = read.flat().map(({ sequence, value }) => [sequence, value as Json as unknown as StoredEntry] as const);
  return new Map(entries.flatMap(([sequence, entry]) => (isResult(entry) ? [[sequence, entry]] : [])));
}
