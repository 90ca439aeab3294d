/** A seed that once showed a fault of Toolbus, as the simulator was then; each stays, and must hold. */
export interface Regression {
  readonly seed: number;
  readonly linger: boolean;
  readonly showed: string;
}

/**
 * A change of the simulator makes another world of a seed. What must not be lost is therefore also a mutant: `shared op` and `round ended twice` bring back
 * the two faults that were found first, and these seeds show each of them again.
 */
export const regressions: readonly Regression[] = [
  { seed: 30, linger: false, showed: "two agents gave their turns the same op, and the messages of the one that was not stored were sent" },
  {
    seed: 235,
    linger: false,
    showed: "a write that lapsed as the last of its round put every result of the round into the transcript twice",
  },
];
