import type { SeedOptions } from "./run-seed.ts";

/** A seed that once showed a bug of Toolbus. Each seed stays here and must pass. */
export interface Regression {
  readonly seed: number;
  readonly options: SeedOptions;
  readonly showed: string;
}

const anyWorld: SeedOptions = { linger: false };

/**
 * After a change of the simulator, a seed may have another world. So each bug also has a mutant that brings it back, and its seed shows the bug with
 * this mutant.
 */
export const regressions: readonly Regression[] = [
  {
    seed: 757,
    options: anyWorld,
    showed: "two agents gave their changes the same op, and the decision of the second was sent although it was not stored",
  },
  {
    seed: 235,
    options: anyWorld,
    showed: "a write that lapsed as the last of its round put every result of the round into the transcript twice",
  },
  { seed: 23, options: anyWorld, showed: "a denied write also ended the one before it, about which people still had to decide" },
  {
    seed: 4490,
    options: anyWorld,
    showed: "a paused agent missed its own commit, found the run ready again and committed the same answer in the next round",
  },
  { seed: 5137, options: anyWorld, showed: "the same, with the commit of a turn with a write" },
  {
    seed: 30,
    options: { linger: false, variant: "late-messages" },
    showed: "a write was reported as lapsed, and then happened: an invoke with a good grant was still on its way",
  },
  {
    seed: 30,
    options: { linger: false, variant: "interruptions" },
    showed: "a message that interrupts cancelled a run that had ended meanwhile, and wrote into its log after its end",
  },
  { seed: 476, options: anyWorld, showed: "a repeated message that people were asked made a renewed grant a second decision" },
  { seed: 62, options: anyWorld, showed: "the answer of a void decision stayed in the outbox, because its approval was pending again" },
  { seed: 664, options: anyWorld, showed: "a repeated answer about an earlier plan replaced the grant for a later one" },
  {
    seed: 1077,
    options: anyWorld,
    showed: "a repeated decision was answered with another plan and another expiry than the first time",
  },
  {
    seed: 25,
    options: { linger: false, variant: "batches" },
    showed: "a batch with a key decided only one write of each run, because the record of its key did not name the approval",
  },
  {
    seed: 10750,
    options: anyWorld,
    showed: "a read that began before a commit of its own process and ended after it made the process count the results of a round twice",
  },
];
