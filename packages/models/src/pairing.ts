import type { TranscriptEntry } from "@toolbus/contracts";
import { ModelError } from "./model-errors.ts";

/** A call without its result, or a result without its call. The transcript is malformed, so a retry does not help. */
export class UnpairedTranscript extends ModelError {
  override readonly name = "UnpairedTranscript";
  readonly code = "unpaired_transcript";
  readonly retryable = false;
  /** The id that has no counterpart. */
  readonly id: string;

  constructor(id: string, message: string) {
    super(message);
    this.id = id;
  }
}

/**
 * Checks, before a provider is called, that every call has exactly one result and that every result belongs to a call of the previous assistant turn.
 * Throws `UnpairedTranscript` with the first id that fails. Ids may repeat in later turns, because some providers restart their numbers in each turn.
 */
export function assertPaired(transcript: readonly TranscriptEntry[]): void {
  const open = new Set<string>();
  for (const entry of transcript) {
    switch (entry.type) {
      case "result":
        if (!open.delete(entry.id))
          throw new UnpairedTranscript(entry.id, `Result "${entry.id}" answers no open call of the previous assistant turn.`);
        break;
      case "assistant":
        assertAnswered(open);
        for (const { id } of entry.calls) {
          if (open.has(id)) throw new UnpairedTranscript(id, `Two calls of one assistant turn have the id "${id}".`);
          open.add(id);
        }
        break;
      case "user":
        assertAnswered(open);
        break;
      default:
        entry satisfies never;
    }
  }
  assertAnswered(open);
}

function assertAnswered(open: ReadonlySet<string>): void {
  const [first] = open;
  if (first !== undefined)
    throw new UnpairedTranscript(first, `Call "${first}" has no result before the next turn; ${open.size} of its turn are open.`);
}
