import { type Call, type Json, keys, type RunEvent, type StoredEntry, type ToolResult } from "@toolbus/contracts";
import { resultHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";

type ResultEntry = Extract<StoredEntry, { type: "result" }>;

/**
 * Returns the same change, with the result of each read stored once (decision 0121). If a change adds a result to the transcript, only that entry has
 * the content. The call's document and the event `call.resolved` name the entry, and the gateway fills the content in. `last` is the number of the
 * transcript's last entry before the change. If it is null, nobody can name an entry, and the change stays as it is. A long result is stored as a blob
 * already. A write keeps its result in its document, because evidence must not depend on a conversation that people may delete.
 */
export function storedOnce(change: Change, conversationId: string, last: number | null): Change {
  if (last === null) return change;
  const transcript = keys.transcript(conversationId);
  const added = change.append?.find(({ log }) => log === transcript)?.entries ?? [];
  const entries = new Map<string, Named>();
  for (const [n, value] of added.entries()) {
    const entry = value as unknown as StoredEntry;
    if (entry.type === "result" && entry.contentRef === undefined) entries.set(entry.callId, { entry, sequence: last + n + 1 });
  }
  if (entries.size === 0) return change;
  const named = new Set<string>();
  const put = change.put?.map((document) => {
    const call = callOf(document.value);
    const found = call && entries.get(call.callId);
    if (!call?.result || !found || !isReferred(call, call.result) || call.result.content !== found.entry.content) return document;
    named.add(call.callId);
    return { ...document, value: referring(call, call.result, found.sequence) as unknown as Json };
  });
  const append = change.append?.map((appended) => {
    if (appended.log === transcript) return appended;
    return { ...appended, entries: appended.entries.map((event) => referringEvent(event, entries, named)) };
  });
  return { ...change, ...(put ? { put } : {}), ...(append ? { append } : {}) };
}

/** A reference takes about a hundred bytes, and the gateway needs a read for it. */
const SHORT_CHARS = 256;

/** The reason of a failure stays with its call, because people look for it when the conversation is gone. */
function isReferred({ kind, shown }: Call, { content, isError }: ToolResult): boolean {
  return kind !== "write" && !shown && !isError && content.length >= SHORT_CHARS;
}

interface Named {
  readonly entry: ResultEntry;
  readonly sequence: number;
}

/** Returns the document if it is that of a call that has ended. */
function callOf(value: Json): Call | null {
  const call = value as unknown as Partial<Call> | null;
  return typeof call === "object" && call?.state === "resolved" && call.callId !== undefined ? (call as Call) : null;
}

function referring(call: Call, result: ToolResult, sequence: number): Call {
  return { ...call, result: { ...result, content: "" }, entry: { sequence, contentHash: resultHash(result) } };
}

function referringEvent(value: Json, entries: ReadonlyMap<string, Named>, named: ReadonlySet<string>): Json {
  const event = value as unknown as RunEvent;
  const found = event.type === "call.resolved" && named.has(event.callId) ? entries.get(event.callId) : undefined;
  return found ? ({ ...event, content: "", entry: found.sequence } as unknown as Json) : value;
}
