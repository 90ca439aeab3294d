import type { ContextDocument, TranscriptEntry } from "@toolbus/contracts";

/** An entry with its sequence in the transcript's log. */
export interface NumberedEntry {
  readonly sequence: number;
  readonly entry: TranscriptEntry;
}

/** The part of a transcript that was read for the model: what the conversation's context document names, or all of it if there is no document. */
export interface TranscriptWindow {
  /** Null before the conversation was ever too long, and if the stored one belongs to a log that is gone. */
  readonly document: ContextDocument | null;
  /** In order: the entries that the document keeps, then everything from its `from` on. */
  readonly entries: readonly NumberedEntry[];
  /** Entries that this process had no memory for: older than all of `entries` but the first one. */
  readonly unread: { readonly entries: number; readonly chars: number };
}
