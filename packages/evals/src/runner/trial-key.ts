import type { Trial } from "../result/trial.ts";

/** Identifies a trial in an evaluation. */
export type TrialKey = Pick<Trial, "scenario" | "variant" | "repeat">;

/** Returns the key as text. The parts are names without spaces. */
export function trialKey({ scenario, variant, repeat }: TrialKey): string {
  return `${variant} ${scenario} ${repeat}`;
}
