import { type Json, keys, type TranscriptEntry } from "@toolbus/contracts";
import type { LogEntry, StateStore } from "@toolbus/state";

/** The transcripts of conversations. A log only grows, so what this process has read of one is kept and only the rest is read again. */
export interface Transcripts {
  /** The whole transcript, or null when it has more than `maxChars` characters. */
  read(conversationId: string): Promise<readonly TranscriptEntry[] | null>;
}

interface Known {
  readonly entries: readonly TranscriptEntry[];
  readonly chars: number;
  /** The last entry as the store gave it. */
  readonly last: { readonly sequence: number; readonly text: string } | null;
}

const PAGE = 500;
const NOTHING: Known = { entries: [], chars: 0, last: null };

/** Keeps the transcripts that were read last, `keptChars` characters of them at most. */
export function transcripts(
  state: StateStore,
  { maxChars, keptChars }: { readonly maxChars: number; readonly keptChars: number },
): Transcripts {
  // In the order of their last read.
  const kept = new Map<string, Known>();
  return {
    async read(conversationId) {
      const log = keys.transcript(conversationId);
      const known = kept.get(conversationId) ?? NOTHING;
      const read = (await readOn(log, known)) ?? (await readOn(log, NOTHING));
      kept.delete(conversationId);
      if (!read || read.chars > maxChars) return null;
      kept.set(conversationId, read);
      forgetOldest();
      return read.entries;
    },
  };

  /** Reads what came after `known`; null when the log does not hold what is known any more: it has expired, or the store was set back. */
  async function readOn(log: string, known: Known): Promise<Known | null> {
    // The last known entry is read again, to see that it is still that one.
    let after = known.last ? known.last.sequence - 1 : 0;
    let seen = known.last === null;
    const entries = [...known.entries];
    let { chars, last } = known;
    for (;;) {
      const page = await state.range(log, { after, limit: PAGE });
      for (const entry of page) {
        const text = JSON.stringify(entry.value);
        if (!seen) {
          if (entry.sequence !== known.last?.sequence || text !== known.last.text) return null;
          seen = true;
          continue;
        }
        entries.push(transcriptEntry(entry));
        chars += text.length;
        last = { sequence: entry.sequence, text };
      }
      if (!seen) return null;
      after = page.at(-1)?.sequence ?? after;
      if (page.length < PAGE || chars > maxChars) return { entries, chars, last };
    }
  }

  function forgetOldest(): void {
    let chars = 0;
    for (const { chars: own } of kept.values()) chars += own;
    for (const [conversationId, { chars: own }] of kept) {
      if (chars <= keptChars) return;
      kept.delete(conversationId);
      chars -= own;
    }
  }
}

/** The agent wrote it: no other service may. */
function transcriptEntry({ value }: LogEntry): TranscriptEntry {
  return value as Json as unknown as TranscriptEntry;
}
