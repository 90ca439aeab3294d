import { startAsked } from "../asked-process.ts";
import type { ContenderName } from "./contenders.ts";
import type { RoundQuestion } from "./round-process.ts";
import type { RoundPlace } from "./round.ts";

/** A contender in a separate process, ready to be measured. */
export interface RunningContender {
  /**
   * Makes this many runs of this many tool rounds each, with `inFlight` runs in flight at any time. Rejects with `ContenderFailed` if a run fails or
   * has a wrong answer.
   */
  runs(count: number, rounds: number, inFlight: number): Promise<void>;
  /** Stops the contender and removes its data from every server. Data under a namespace on Redis stays. */
  stop(): Promise<void>;
}

/** A contender could not begin, or one of its runs failed or had a wrong answer. */
export class ContenderFailed extends Error {
  override readonly name = "ContenderFailed";
  readonly contender: ContenderName;

  constructor(contender: ContenderName, message: string) {
    super(message);
    this.contender = contender;
  }
}

const PROCESS = new URL("round-process.ts", import.meta.url);

export async function startContender(name: ContenderName, place: RoundPlace): Promise<RunningContender> {
  const process = startAsked<RoundQuestion>(PROCESS);
  const ask = async (question: RoundQuestion): Promise<void> => {
    try {
      await process.ask(question);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      throw new ContenderFailed(name, `${name} failed: ${words.split("\n")[0]?.replace(/[.\s]+$/, "") ?? ""}.`);
    }
  };
  const stop = async (): Promise<void> => {
    try {
      await ask({ kind: "end" });
    } finally {
      await process.stop();
    }
  };
  try {
    await ask({ kind: "begin", name, place });
  } catch (error) {
    // An error of the cleanup must not hide the error that stopped the contender.
    await stop().catch(() => undefined);
    throw error;
  }
  return { runs: (count, rounds, inFlight) => ask({ kind: "runs", count, rounds, inFlight }), stop };
}
