import { type ContextDocument, type Json, keys, parseContextDocument, type StoredEntry, type TranscriptEntry } from "@toolbus/contracts";
import type { Change, LogEntry, StateStore } from "@toolbus/state";
import type { NumberedEntry, TranscriptWindow } from "../context/transcript-window.ts";
import { parsed } from "../documents/load.ts";
import { inlineEntry, readEntry } from "../memory/stored-entries.ts";

/**
 * Reads the part of each transcript that the model sees. A log only grows, so a process keeps what it has read and later reads only the rest. A
 * process that has read nothing begins where the conversation's context document says.
 */
export interface Transcripts {
  /**
   * Returns the window of this conversation. If it has more than `maxChars` characters of stored JSON, the oldest part is counted but not kept. The
   * newest message of the person is always kept. `version` is the version of the active run's document that the caller has read.
   */
  window(conversationId: string, version?: number): Promise<TranscriptWindow>;
  /** Returns the window from memory, or null if this process does not know all of it at this version of the active run's document. */
  at(conversationId: string, version: number): TranscriptWindow | null;
  /** Returns the number of the last entry, or null if this process does not know it at this version of the active run's document. */
  lastAt(conversationId: string, version: number): number | null;
  /**
   * Records what a change appended that took the active run's document from one version to the next. Every commit that appends to the transcript of
   * an active run guards that document, so a transcript that is known at one version is complete at the next. `null` appends nothing. If a read has
   * already seen the entries, the transcript is forgotten, so that no entry is there twice.
   */
  grown(conversationId: string, change: Change | null, versions: { readonly before: number; readonly after: number }): void;
  /** Records the transcript of a conversation that has no entry yet, as a change will begin it. `version` is that of the run's document. */
  begun(conversationId: string, change: Change, version: number): void;
  /** Forgets what is known, because a change on which it is based was refused. */
  forget(conversationId: string): void;
}

interface Known {
  readonly document: ContextDocument | null;
  /** The entries before the tail: those that the document keeps, and the newest message if it had to be saved from eviction. */
  readonly kept: readonly Sized[];
  /** All entries from some sequence on. */
  readonly tail: readonly Sized[];
  readonly unread: TranscriptWindow["unread"];
  /** The number of characters of `kept` and `tail` together. */
  readonly chars: number;
  /** The last entry as the store returned it, or as this process wrote it. */
  readonly last: { readonly sequence: number; readonly value: unknown } | null;
  /** The version of the active run's document at which this is known to be complete, and when this was last confirmed. */
  readonly complete?: { readonly version: number; readonly at: number };
}

interface Sized extends NumberedEntry {
  readonly chars: number;
}

const PAGE = 500;
const NOTHING_UNREAD = { entries: 0, chars: 0 };
const NO_ENTRIES: Known = { document: null, kept: [], tail: [], unread: NOTHING_UNREAD, chars: 0, last: null };
/** This time is short for the same reason as that of a snapshot: after a rollback of the store, a version may belong to another commit. */
const COMPLETE_FOR_MS = 2000;

/** Returns a reader that keeps the windows that it read last, up to `keptChars` characters in total. */
export function transcripts(
  state: StateStore,
  { maxChars, keptChars, monotonic }: { readonly maxChars: number; readonly keptChars: number; readonly monotonic: () => number },
): Transcripts {
  // The windows are in the order of their last read.
  const kept = new Map<string, Known>();
  /** The characters of all kept windows. */
  let total = 0;
  return {
    window,
    at(conversationId, version) {
      const known = knownAt(conversationId, version);
      return known && windowOf(known);
    },
    lastAt(conversationId, version) {
      const known = knownAt(conversationId, version);
      return known && (known.last?.sequence ?? 0);
    },
    grown(conversationId, change, { before, after }) {
      const known = kept.get(conversationId);
      if (known?.complete?.version !== before) return;
      const next = grownBy(known, change, conversationId);
      keep(conversationId, next && { ...next, complete: { version: after, at: monotonic() } });
    },
    begun(conversationId, change, version) {
      const next = grownBy(NO_ENTRIES, change, conversationId);
      keep(conversationId, next && { ...next, complete: { version, at: monotonic() } });
    },
    forget,
  };

  function knownAt(conversationId: string, version: number): Known | null {
    const known = kept.get(conversationId);
    const { complete } = known ?? {};
    return known && complete?.version === version && monotonic() - complete.at <= COMPLETE_FOR_MS ? known : null;
  }

  async function window(conversationId: string, version?: number): Promise<TranscriptWindow> {
    const log = keys.transcript(conversationId);
    const before = kept.get(conversationId);
    // The document and the new entries are requested at the same time. If they do not fit together, which is rare, everything is read again.
    const [document, after] = await Promise.all([readDocument(conversationId), before ? readOn(log, before) : null]);
    const read = (after && movedTo(after, document)) ?? (await readAnew(log, document));
    const { complete: _, ...rest } = read;
    const known: Known = version === undefined ? rest : { ...rest, complete: { version, at: monotonic() } };
    keep(conversationId, known);
    return windowOf(known);
  }

  function keep(conversationId: string, known: Known | null): void {
    forget(conversationId);
    if (!known) return;
    kept.set(conversationId, known);
    total += known.chars;
    for (const oldest of kept.keys()) {
      if (total <= keptChars) return;
      forget(oldest);
    }
  }

  /** Returns null if the entries must be read: the rest of one is stored elsewhere, or a read has already seen them. */
  function grownBy(known: Known, change: Change | null, conversationId: string): Known | null {
    const log = keys.transcript(conversationId);
    const values = change?.append?.find((appended) => appended.log === log)?.entries ?? [];
    const document = change?.put?.find(({ key }) => key === keys.context(conversationId));
    let { last } = known;
    const news: Sized[] = [];
    for (const value of values) {
      const entry = inlineEntry(value as Json as unknown as StoredEntry);
      // A read that began before a commit and ended after it has the entries of the commit, although it counts as one of the version before.
      if (!entry || isAmong(known.tail, entry)) return null;
      last = { sequence: (last?.sequence ?? 0) + 1, value };
      news.push({ sequence: last.sequence, entry, chars: charsOf(entry) });
    }
    const grown = bounded({ ...known, tail: [...known.tail, ...news], chars: known.chars + sum(news), last }, maxChars);
    return document ? movedTo(grown, document.value as unknown as ContextDocument) : grown;
  }

  async function readDocument(conversationId: string): Promise<ContextDocument | null> {
    const key = keys.context(conversationId);
    const { documents } = await state.read([key]);
    return parsed(documents[0], parseContextDocument, key)?.value ?? null;
  }

  /**
   * Reads the entries after `known`. Returns null if the log no longer contains the known entries, because it has expired or the store was rolled
   * back.
   */
  async function readOn(log: string, known: Known): Promise<Known | null> {
    const { last } = known;
    // The last known entry is read again, to check that it is unchanged.
    const [first, ...rest] = await pageAfter(log, (last?.sequence ?? 1) - 1);
    if (last === null) return first ? readTail(log, known, [first, ...rest]) : known;
    if (first?.sequence !== last.sequence || !isSame(first.value, last.value)) return null;
    // After a full page there may be more entries, even if the page had no new ones.
    return readTail(log, known, rest, 1 + rest.length === PAGE ? (rest.at(-1) ?? first).sequence : null);
  }

  /** Reads the entries that the document names, or all entries if there is no document or it belongs to another log. */
  async function readAnew(log: string, document: ContextDocument | null): Promise<Known> {
    const fresh = NO_ENTRIES;
    if (document) {
      const [first, ranges] = await Promise.all([
        pageAfter(log, document.from - 1),
        Promise.all(rangesOf(document.kept).map((range) => state.range(log, range))),
      ]);
      const read = ranges.flat();
      const isItsLog =
        first[0]?.sequence === document.from && isAnchor(entryOf(first[0]), document) && read.length === document.kept.length;
      if (isItsLog) {
        const kept = await Promise.all(read.map(sized));
        return readTail(log, { ...fresh, document, kept, chars: sum(kept) }, first);
      }
    }
    return readTail(log, fresh, await pageAfter(log, 0));
  }

  /**
   * Returns `known` with the entries of this page and of all later pages. If `more` is given, reading continues after that sequence, even if this
   * page is not full.
   */
  async function readTail(log: string, known: Known, first: readonly LogEntry[], more: number | null = null): Promise<Known> {
    let page = first;
    let grown: Known = known;
    let next = more ?? (first.length === PAGE ? (first.at(-1)?.sequence ?? null) : null);
    for (;;) {
      const newest = page.at(-1);
      if (newest) {
        const news = await Promise.all(page.map(sized));
        const last = { sequence: newest.sequence, value: newest.value };
        grown = bounded({ ...grown, tail: [...grown.tail, ...news], chars: grown.chars + sum(news), last }, maxChars);
      }
      if (next === null) return grown;
      page = await pageAfter(log, next);
      next = page.length === PAGE ? (page.at(-1)?.sequence ?? null) : null;
    }
  }

  function pageAfter(log: string, after: number): Promise<readonly LogEntry[]> {
    return state.range(log, { after, limit: PAGE });
  }

  async function sized(logged: LogEntry): Promise<Sized> {
    const entry = await readEntry(state, entryOf(logged));
    return { sequence: logged.sequence, entry, chars: charsOf(entry) };
  }

  function forget(conversationId: string): void {
    total -= kept.get(conversationId)?.chars ?? 0;
    kept.delete(conversationId);
  }
}

/** Returns the known entries from the beginning of this document on, or null if the document names unknown entries. */
function movedTo(known: Known, document: ContextDocument | null): Known | null {
  if (!document) return known.document ? null : known;
  const { from, kept } = document;
  if (known.document?.from === from && known.document.kept.length === kept.length) return { ...known, document };
  const begins = known.tail.findIndex(({ sequence }) => sequence === from);
  const isOfAnotherLog = begins < 0 ? (known.last?.sequence ?? 0) < from : !isAnchor(known.tail[begins]?.entry, document);
  // The document belongs to another log, so it is ignored, and the known part of this log stays valid.
  if (isOfAnotherLog) return known.document ? null : known;
  if (begins < 0) return null;
  const wanted = new Set(kept);
  const found = [...known.kept, ...known.tail.slice(0, begins)].filter(({ sequence }) => wanted.has(sequence));
  if (found.length !== kept.length) return null;
  const tail = known.tail.slice(begins);
  // The evicted entries are before the document's beginning, and the document counts them.
  return { ...known, document, kept: found, tail, chars: sum(found) + sum(tail), unread: NOTHING_UNREAD };
}

/**
 * Evicts the oldest entries of the tail until the rest is small enough. Turns are evicted together with their results, and the newest message is
 * never evicted.
 */
function bounded(known: Known, maxChars: number): Known {
  if (known.chars <= maxChars) return known;
  // The entries are reduced to half of `maxChars`. Otherwise every further page would evict entries again and copy the rest.
  let over = known.chars - maxChars / 2;
  let gone = 0;
  while (gone < known.tail.length - 1 && over > 0) over -= known.tail[gone++]?.chars ?? 0;
  while (gone < known.tail.length - 1 && known.tail[gone]?.entry.type === "result") gone++;
  const message = known.tail.slice(0, gone).findLast(({ entry }) => entry.type === "user");
  const answered = known.tail.slice(gone).some(({ entry }) => entry.type === "user");
  const saved = message && !answered ? [message] : [];
  const lost = sum(known.tail.slice(0, gone)) - sum(saved);
  return {
    ...known,
    kept: [...known.kept, ...saved],
    tail: known.tail.slice(gone),
    chars: known.chars - lost,
    unread: { entries: known.unread.entries + gone - saved.length, chars: known.unread.chars + lost },
  };
}

/** Returns true if one of the newest entries is this one. Two entries of a run have different times, calls or texts. */
function isAmong(tail: readonly Sized[], entry: TranscriptEntry): boolean {
  return tail
    .slice(-NEWEST)
    .some(({ entry: own }) => own.at === entry.at && own.type === entry.type && own.runId === entry.runId && isSame(own, entry));
}

/** More entries than one turn has, with the results of all its calls. */
const NEWEST = 200;

function isAnchor(entry: Pick<TranscriptEntry, "runId" | "at"> | undefined, { anchor }: ContextDocument): boolean {
  return entry?.runId === anchor.runId && entry.at === anchor.at;
}

/** Returns the stored entry without a check, because only the agent may write transcripts. */
function entryOf({ value }: LogEntry): StoredEntry {
  return value as Json as unknown as StoredEntry;
}

/** Converts sequences into ranges of a log. Adjacent sequences become one range. */
function rangesOf(sequences: readonly number[]): readonly { readonly after: number; readonly limit: number }[] {
  const ranges: { after: number; limit: number }[] = [];
  for (const sequence of sequences) {
    const last = ranges.at(-1);
    if (last && last.after + last.limit + 1 === sequence) last.limit++;
    else ranges.push({ after: sequence - 1, limit: 1 });
  }
  return ranges;
}

function sum(entries: readonly Sized[]): number {
  return entries.reduce((total, { chars }) => total + chars, 0);
}

function windowOf({ document, kept, tail, unread }: Known): TranscriptWindow {
  return { document, entries: [...kept, ...tail], unread };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function charsOf(entry: TranscriptEntry): number {
  return jsonChars(entry);
}

/** Returns about how many characters a value has as JSON, without writing it. Escapes count as the characters that they stand for. */
function jsonChars(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let chars = 2;
  if (Array.isArray(value)) for (const item of value) chars += jsonChars(item) + 1;
  else for (const name in value) chars += name.length + 4 + jsonChars((value as Readonly<Record<string, unknown>>)[name]);
  return chars;
}
