import type { patientClient } from "./client.ts";

export const RUNS_A_SECOND = 20;
export const LEAST_RUNS = 100;
const MESSAGE = 'get_release_summary {"release_id": "calm"}';

/** Begins runs at a steady pace, however busy the machine is, until it is told to stop and there were enough; gives how each ended. */
export async function load(client: ReturnType<typeof patientClient>, stop: AbortSignal): Promise<readonly string[]> {
  const runs: Promise<string>[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const begun = performance.now();
  const timer = setInterval(() => {
    if (stop.aborted && runs.length >= LEAST_RUNS) return resolve();
    const due = ((performance.now() - begun) / 1000) * RUNS_A_SECOND;
    while (runs.length < due) runs.push(one());
  }, 1000 / RUNS_A_SECOND);
  await enough;
  clearInterval(timer);
  return Promise.all(runs);

  async function one(): Promise<string> {
    try {
      const { runId } = await client.say(MESSAGE);
      const received = await client.toTheEnd(runId);
      const resolved = received.find(({ event }) => event.type === "call.resolved")?.event;
      return `${received.at(-1)?.event.type} ${resolved?.type === "call.resolved" ? resolved.status : "without a call"}`;
    } catch (error) {
      return error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}` : String(error);
    }
  }
}
