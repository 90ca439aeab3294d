import type { Call, CallQuestions, ConversationState, Run, ShownResult } from "@toolbus/contracts";
import type { Read } from "./rules.ts";

/** The documents of a run that one commit may change, as read at one moment. */
export interface Snapshot {
  readonly now: number;
  readonly run: Read<Run>;
  readonly conversation: Read<ConversationState>;
  /** The calls of the current round, in index order. */
  readonly calls: readonly Read<Call>[];
  /** The first run that waits in the conversation, if any. */
  readonly next: Read<Run> | null;
  /** The texts that the model reads in place of the results that this transition joins, by the id of the call. */
  readonly shown?: ReadonlyMap<string, ShownResult>;
  /** The questions that the worker stored under the call of this transition. */
  readonly questions?: CallQuestions;
}
