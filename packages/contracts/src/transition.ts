/**
 * One row of the table of a state machine: what the page of mechanics shows, and what the simulator holds every commit against. `Change` is a name such as
 * `run ready → waiting`: the kind of a document, its status before (`none` where there was no document) and after.
 */
export interface Transition<Change extends string = string> {
  /** Who commits it, and the head of its op: `agent turn`. */
  readonly name: string;
  /** The function that decides it. */
  readonly by: (...parts: never[]) => unknown;
  /** When it happens, in one sentence. */
  readonly when: string;
  /** Every change that one commit of it may make, those too that leave the status as it is. */
  readonly changes: readonly Change[];
  /** Changes that may happen and that the simulator need not reach, each with the reason. */
  readonly rare?: Readonly<Partial<Record<Change, string>>>;
}
