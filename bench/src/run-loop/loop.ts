import type { BrokerKind, Place } from "../tool-call/driver.ts";
import type { DriverName } from "../tool-call/drivers.ts";

/** The system prompt of every run, from its profile or hand-written. */
export const SYSTEM_PROMPT = "You look things up with the tools that you have, one at a time, and then say what you found.";

/** What starts a run; the stub of a model reads the number in it. */
export function taskOf(rounds: number): string {
  return `Look ${rounds} times.`;
}

/** Where the tools are: in the loop's own process, or behind a broker. */
export type Tools =
  | { readonly kind: "here" }
  | { readonly kind: "there"; readonly broker: BrokerKind; readonly raw: DriverName; readonly place: Place };

/** The input of both loops. */
export interface LoopPlace {
  /** Redis, as the state store accepts it, without a namespace. */
  readonly redisUrl: string;
  /** Before every key. */
  readonly namespace: string;
  readonly modelUrl: string;
  readonly tools: Tools;
}

/** One way to run agents, in the process that it was started in. */
export interface Loop {
  /** One run from its task to its answer. Rejects if it ends otherwise. */
  run(rounds: number): Promise<void>;
  stop(): Promise<void>;
}
