/**
 * One row in the table of a state machine. The mechanics page shows the table, and the simulator checks every commit against it. `Change` is a name
 * such as `run ready → waiting`. The name contains the kind of a document, its status before (`none` without a document) and its status after.
 */
export interface Transition<Change extends string = string> {
  /** The service that commits the transition, and the first part of its op, such as `agent turn`. */
  readonly name: string;
  /** The function that decides the transition. */
  readonly by: (...parts: never[]) => unknown;
  /** The condition of the transition, in one sentence. */
  readonly when: string;
  /** Every change that one commit of the transition may make, including those that leave the status unchanged. */
  readonly changes: readonly Change[];
  /** The changes that may happen but that the simulator need not reach, each with the reason. */
  readonly rare?: Readonly<Partial<Record<Change, string>>>;
}
