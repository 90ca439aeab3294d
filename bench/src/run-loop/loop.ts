import type { BrokerKind, Place } from "../tool-call/driver.ts";
import type { DriverName } from "../tool-call/drivers.ts";

/** The system prompt of every run. Toolbus runs have it in their profile, and the hand-written loop sends it itself. */
export const SYSTEM_PROMPT = "You look things up with the tools that you have, one at a time, and then say what you found.";

/** Returns the message that starts a run. The stub of a model reads the number of rounds from it. */
export function taskOf(rounds: number): string {
  return `Look ${rounds} times.`;
}

/** The place of the tools: in the loop's own process, or behind a broker. */
export type Tools =
  | { readonly kind: "here" }
  | { readonly kind: "there"; readonly broker: BrokerKind; readonly raw: DriverName; readonly place: Place };

/** The input of both loops. */
export interface LoopPlace {
  /** The address of Redis, in the form of the state store, without a namespace. */
  readonly redisUrl: string;
  /** The prefix of every key. */
  readonly namespace: string;
  readonly modelUrl: string;
  readonly tools: Tools;
}

/** One way to make runs of an agent, in the process where it was started. */
export interface Loop {
  /** Makes one run from its task to its answer. Rejects if the run ends in another way. */
  run(rounds: number): Promise<void>;
  stop(): Promise<void>;
}
