import type { Call, ConversationState, Run, ShownResult } from "@toolbus/contracts";
import type { Read } from "./rules.ts";

/** Everything of a run that one commit may change, as it was read at one moment. */
export interface Snapshot {
  readonly now: number;
  readonly run: Read<Run>;
  readonly conversation: Read<ConversationState>;
  /** The calls of the current round, in index order. */
  readonly calls: readonly Read<Call>[];
  /** The run that waits first in the conversation, if one does. */
  readonly next: Read<Run> | null;
  /** What the model reads of the results that this transition joins, where that is not the result itself. */
  readonly shown?: ReadonlyMap<string, ShownResult>;
}
