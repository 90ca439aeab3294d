import type { ContextDocument, TranscriptEntry } from "@toolbus/contracts";

/** An entry with its sequence in the transcript's log. */
export interface NumberedEntry {
  readonly sequence: number;
  readonly entry: TranscriptEntry;
}

/** The part of a transcript that was read for the model: the entries that the context document names, or all entries if there is no document. */
export interface TranscriptWindow {
  /** Null if the conversation was never too long, or if the stored document belongs to a log that is gone. */
  readonly document: ContextDocument | null;
  /** The entries that the document keeps, then every entry from its `from` on, in order. */
  readonly entries: readonly NumberedEntry[];
  /** The number and size of the entries that this process could not keep in memory. They are older than the tail of the window. */
  readonly unread: { readonly entries: number; readonly chars: number };
}
