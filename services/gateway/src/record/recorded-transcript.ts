import { type Json, keys, type RecordedEntry, type StoredEntry, type TranscriptEntry } from "@toolbus/contracts";
import { blobOrNull, heldText, type LogEntry, type StateStore } from "@toolbus/state";

type Reader = Pick<StateStore, "range" | "getBlob" | "putBlob">;

export interface RecordedTranscript {
  readonly entries: readonly RecordedEntry[];
  /** True if the oldest entries of the conversation are not in it. */
  readonly cut: boolean;
  /** True if the run has an entry. */
  readonly hasRun: boolean;
}

const PAGE = 200;
/** The most characters of earlier runs. The oldest entries above this are left out, because the run's model hardly saw them. */
const MAX_EARLIER_CHARS = 4_000_000;

/** Returns the transcript of a conversation up to the last entry of a run, with everything that its log refers to filled in. */
export async function recordedTranscript(state: Reader, conversationId: string, runId: string): Promise<RecordedTranscript> {
  const logged = await readAll(state, keys.transcript(conversationId));
  const last = logged.findLastIndex(({ value }) => storedIn(value).runId === runId);
  const wanted = last < 0 ? await upToNow(logged, runId) : logged.slice(0, last + 1);
  const entries: RecordedEntry[] = [];
  for (const { sequence, value } of wanted) entries.push({ sequence, entry: await wholeEntry(state, storedIn(value)) });
  const own = entries.findIndex(({ entry }) => entry.runId === runId);
  let first = 0;
  let chars = entries.slice(0, Math.max(0, own)).reduce((sum, { entry }) => sum + JSON.stringify(entry).length, 0);
  while (chars > MAX_EARLIER_CHARS) chars -= JSON.stringify(entries[first++]?.entry).length;
  return { entries: entries.slice(first), cut: first > 0, hasRun: last >= 0 };
}

/** A run that ended before it began has no entry. Then the transcript has only what ended before it. */
async function upToNow(logged: readonly LogEntry[], runId: string): Promise<readonly LogEntry[]> {
  return logged.filter(({ value }) => storedIn(value).runId < runId);
}

async function readAll(state: Reader, log: string): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  for (;;) {
    const page = await state.range(log, { after: entries.at(-1)?.sequence ?? 0, limit: PAGE });
    entries.push(...page);
    if (page.length < PAGE) return entries;
  }
}

async function wholeEntry(state: Reader, stored: StoredEntry): Promise<TranscriptEntry> {
  switch (stored.type) {
    case "user":
      return stored;
    case "assistant": {
      const { vendor, ...rest } = stored;
      if (vendor === undefined) return rest;
      if (!("payloadBlob" in vendor)) return { ...rest, vendor };
      const { api, model, payloadBlob } = vendor;
      const bytes = await blobOrNull(state, payloadBlob);
      return bytes === null ? rest : { ...rest, vendor: { api, model, payload: JSON.parse(Buffer.from(bytes).toString()) as Json } };
    }
    case "result": {
      const { contentRef: _, ...entry } = stored;
      return { ...entry, content: (await heldText(state, stored)) ?? stored.content };
    }
  }
}

/** Returns the stored entry without a check, because only the agent may write transcripts. */
function storedIn(value: Json): StoredEntry {
  return value as unknown as StoredEntry;
}
