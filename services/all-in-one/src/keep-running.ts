import { pause, Refusal, sentenceOf } from "@toolbus/runtime";
import type { Apart, Replica } from "./start-apart.ts";

export interface KeepRunning {
  /** Called with sentences that say what ended, why, and what happens next. */
  readonly tell: (sentence: string) => void;
  /** Aborts when everything must stop. After that, nothing is restarted. */
  readonly signal: AbortSignal;
  readonly monotonic: () => number;
  /** Waits for this time. Tests pass their own function instead of `pause`. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Kept {
  /** Resolves with the reason when a process has ended too often to be restarted. */
  readonly failed: Promise<Error>;
  /** Resolves when no process is being started any more. Call it only after the signal has aborted. */
  settled(): Promise<void>;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A process that ran this long did not end because of how it was started. */
const STEADY_MS = 60_000;
const MOST_ENDS = 5;

/**
 * Restarts processes that end unexpectedly, and reports each end. The wait is 1 s, and it doubles each time that a process ends within a minute, up
 * to 30 s. After five early ends or failed starts in a row, the process is given up.
 */
export function keepRunning(apart: Pick<Apart, "replicas" | "restart">, { tell, signal, monotonic, wait = pause }: KeepRunning): Kept {
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>();
  const starting = new Set<Promise<unknown>>();
  for (const replica of apart.replicas()) void keep(replica);
  return {
    failed,
    async settled() {
      await Promise.allSettled(starting);
    },
  };

  async function keep(replica: Replica): Promise<void> {
    let runs = replica;
    let ends = 0;
    for (;;) {
      const since = monotonic();
      const how = await runs.process.ended;
      if (signal.aborted) return;
      ends = monotonic() - since < STEADY_MS ? ends + 1 : 1;
      let what = `${nameOf(runs)} ${inWords(how)}`;
      for (;;) {
        if (ends >= MOST_ENDS) return giveUp(runs, what);
        const ms = Math.min(FIRST_WAIT_MS * 2 ** (ends - 1), LONGEST_WAIT_MS);
        tell(`${what}. It starts again in ${ms / 1000} s (${ends} of ${MOST_ENDS - 1}).`);
        await wait(ms, signal);
        if (signal.aborted) return;
        const started = await startAgain(runs);
        if (signal.aborted) return;
        if (!(started instanceof Error)) {
          runs = started;
          break;
        }
        ends++;
        what = sentenceOf(started).replace(/\.$/, "");
      }
      tell(`${nameOf(runs)} runs again.`);
    }
  }

  async function startAgain({ service, number }: Replica): Promise<Replica | Error> {
    const begun = apart.restart(service, number);
    starting.add(begun);
    try {
      return await begun;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      starting.delete(begun);
    }
  }

  function giveUp({ service }: Replica, what: string): void {
    fail(
      new Refusal(`${what}. It ended ${MOST_ENDS} times in a row: see the earlier messages of ${service}, fix the cause and start again.`),
    );
  }
}

const nameOf = ({ process: { name, pid } }: Replica): string => `The process ${name} (${pid})`;

const inWords = (how: number | NodeJS.Signals): string => (typeof how === "number" ? `ended with exit code ${how}` : `was ended by ${how}`);
