import type { Call, ConversationState, Run, ShownResult } from "@toolbus/contracts";
import type { Read } from "./rules.ts";

/** Everything of a run that one commit may change, as read at one moment. */
export interface Snapshot {
  readonly now: number;
  readonly run: Read<Run>;
  readonly conversation: Read<ConversationState>;
  /** The calls of the current round, in index order. */
  readonly calls: readonly Read<Call>[];
  /** The first run that waits in the conversation, if any. */
  readonly next: Read<Run> | null;
  /** What the model reads of the results that this transition joins, if that is not the result itself. */
  readonly shown?: ReadonlyMap<string, ShownResult>;
}
