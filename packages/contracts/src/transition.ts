/**
 * One row of the table of a state machine: the page of mechanics shows it, and the simulator checks every commit against it. `Change` is a name such as
 * `run ready → waiting`: the kind of a document, its status before (`none` if there was no document) and after.
 */
export interface Transition<Change extends string = string> {
  /** Who commits it, and the first part of its op: `agent turn`. */
  readonly name: string;
  /** The function that decides it. */
  readonly by: (...parts: never[]) => unknown;
  /** When it happens, in one sentence. */
  readonly when: string;
  /** Every change that one commit of it may make, including those that leave the status unchanged. */
  readonly changes: readonly Change[];
  /** Changes that may happen but that the simulator need not reach, each with the reason. */
  readonly rare?: Readonly<Partial<Record<Change, string>>>;
}
