import type { StoredEntry } from "@toolbus/contracts";
import { heldText, type LogEntry, type StateStore } from "@toolbus/state";

/**
 * The most characters of long results that one page shows in full. Without a limit, a page with hundreds of long results would have hundreds of
 * megabytes.
 */
const WHOLE_CHARS = 262_144;

/**
 * Returns the shown text of each long result among these entries, by the number of the entry. The newest results are shown in full. Of the others,
 * only the beginning is shown, with a note.
 */
export async function shownResults(state: StateStore, entries: readonly LogEntry[]): Promise<ReadonlyMap<number, string>> {
  const shown = new Map<number, string>();
  let left = WHOLE_CHARS;
  for (const { sequence, value } of entries.toReversed()) {
    const entry = value as unknown as StoredEntry;
    if (entry.type !== "result" || !entry.contentRef) continue;
    const { content, contentRef } = entry;
    const whole = contentRef.chars <= left ? await heldText(state, entry) : null;
    if (whole !== null) left -= whole.length;
    shown.set(sequence, whole ?? `${content}\n[the first ${content.length} of ${contentRef.chars} characters]`);
  }
  return shown;
}
