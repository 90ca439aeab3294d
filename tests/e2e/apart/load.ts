import type { patientClient } from "./client.ts";

/** CI and a release use a higher load (docs/testing.md). */
const LONG = process.env["LONG_PROOFS"] !== undefined;
export const RUNS_A_SECOND = LONG ? 20 : 8;
export const LEAST_RUNS = LONG ? 100 : 40;
/**
 * The most runs that may be active at once. If this many runs are active, the machine is too slow for the pace. The test then proves only that no run
 * fails.
 */
const MOST_UNDER_WAY = 80;
const MESSAGE = 'get_release_summary {"release_id": "calm"}';

/** The result of a load: how each run ended, and how many began per second. */
export interface Loaded {
  readonly ends: readonly string[];
  readonly perSecond: number;
}

/**
 * Starts runs at a steady pace, with a limit for active runs. Returns when three things are true: the signal has aborted, enough runs have begun, and
 * all of them have ended.
 */
export async function load(client: ReturnType<typeof patientClient>, stop: AbortSignal): Promise<Loaded> {
  const runs: Promise<string>[] = [];
  let underWay = 0;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const begun = performance.now();
  const timer = setInterval(() => {
    if (stop.aborted && runs.length >= LEAST_RUNS) return resolve();
    const due = ((performance.now() - begun) / 1000) * RUNS_A_SECOND;
    while (runs.length < due && underWay < MOST_UNDER_WAY) runs.push(one());
  }, 1000 / RUNS_A_SECOND);
  await enough;
  clearInterval(timer);
  const perSecond = (runs.length * 1000) / (performance.now() - begun);
  return { ends: await Promise.all(runs), perSecond };

  async function one(): Promise<string> {
    underWay++;
    try {
      const { runId } = await client.say(MESSAGE);
      const received = await client.toTheEnd(runId);
      const resolved = received.find(({ event }) => event.type === "call.resolved")?.event;
      const end = received.at(-1)?.event;
      if (resolved?.type === "call.resolved")
        return resolved.status === "ok" || resolved.status === "timeout"
          ? `${end?.type} ${resolved.status}`
          : `${end?.type} ${resolved.status}: ${resolved.content.slice(0, 200)}`;
      return `${end?.type} without a call: ${end && "text" in end ? end.text.slice(0, 300) : ""} (${received.map(({ event }) => event.type).join()})`;
    } catch (error) {
      return error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}` : String(error);
    } finally {
      underWay--;
    }
  }
}
