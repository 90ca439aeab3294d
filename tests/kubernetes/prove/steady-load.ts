import { isDeepStrictEqual } from "node:util";
import { isRunEnd } from "@toolbus/contracts";
import { patientClient, type Received } from "../../e2e/apart/client.ts";
import type { Cluster } from "./cluster.ts";

/** A run of the load, as its client saw it. */
export interface LoadedRun {
  readonly runId: string;
  /** How it ended, or the reason why the client gave up. */
  readonly end: string;
  readonly ms: number;
  readonly received: readonly Received[];
}

/** What a load did, and what of it was lost or doubled. */
export interface LoadReport {
  readonly runs: number;
  readonly completed: number;
  /** How the other runs ended, with their numbers. */
  readonly otherwise: Readonly<Record<string, number>>;
  /** Runs whose stream had a gap, a repeat, or another event than the run's own log. */
  readonly brokenStreams: number;
  /** Reports that the release API stored during the load. */
  readonly effects: number;
  readonly effectsPerRun: number;
  /** Why decisions were not made, although the client repeated them. */
  readonly undecided: readonly string[];
  /** Attempts that did not succeed and were repeated, with their numbers. */
  readonly repeated: Readonly<Record<string, number>>;
  readonly runsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** How long a client waits for a run. Pods start slowly on a small node under load, and a stream to a pod that is gone is silent for 35 s first. */
const PATIENCE_MS = 300_000;

/** Starts investigations at a steady pace until the signal aborts, approves their writes, and waits for the end of each. */
export async function steadyLoad(cluster: Cluster, perSecond: number, stop: AbortSignal): Promise<LoadReport> {
  const failures: string[] = [];
  const client = patientClient({
    gatewayUrls: [cluster.gatewayUrl],
    approvalsUrls: [cluster.approvalsUrl],
    keys: cluster.keys,
    patienceMs: PATIENCE_MS,
    onFailure: (asked, answer) => failures.push(`${asked}: ${answer}`),
  });
  const before = await effectsOf(cluster);
  const runs: Promise<LoadedRun>[] = [];
  const undecided = new Set<string>();
  const began = performance.now();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    if (stop.aborted) return resolve();
    const due = ((performance.now() - began) / 1000) * perSecond;
    while (runs.length < due) runs.push(one());
  }, 50);
  await over;
  clearInterval(timer);
  const seconds = (performance.now() - began) / 1000;
  const ended = await Promise.all(runs);
  const effects = (await effectsOf(cluster)) - before;
  let brokenStreams = 0;
  // A run whose client gave up is not completed, so it counts above.
  for (const run of ended) if (run.received.length > 0 && !(await isWhole(run))) brokenStreams++;
  const times = ended.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  const completed = ended.filter(({ end }) => end === "run.completed").length;
  return {
    runs: ended.length,
    completed,
    otherwise: countsOf(ended.map(({ end }) => end).filter((end) => end !== "run.completed")),
    brokenStreams,
    effects,
    effectsPerRun: ended.length === 0 ? 0 : effects / ended.length,
    undecided: [...undecided].slice(0, 5),
    repeated: countsOf(failures),
    runsPerSecond: Math.round((ended.length / seconds) * 100) / 100,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    longestMs: Math.round(times.at(-1) ?? 0),
  };

  async function one(): Promise<LoadedRun> {
    const start = performance.now();
    let runId = "";
    try {
      ({ runId } = await client.investigate("32839529"));
      const received = await client.toTheEnd(
        runId,
        (approvalId) => void client.approve(approvalId).catch((error) => undecided.add(withoutIds(error))),
      );
      return { runId, end: received.at(-1)?.event.type ?? "nothing", ms: performance.now() - start, received };
    } catch (error) {
      return {
        runId,
        end: withoutIds(error),
        ms: performance.now() - start,
        received: [],
      };
    }
  }

  /** Compares what the client received, over all its connections, with the run's own log. */
  async function isWhole({ runId, received }: LoadedRun): Promise<boolean> {
    const log = await client.toTheEnd(runId, () => undefined);
    const durable = received.filter(({ event }) => "sequence" in event);
    const numbers = durable.map(({ event }) => ("sequence" in event ? event.sequence : 0));
    return (
      numbers.every((number, i) => number === i + 1) &&
      durable.filter(({ event }) => isRunEnd(event)).length === 1 &&
      isDeepStrictEqual(
        durable,
        log.filter(({ event }) => "sequence" in event),
      )
    );
  }
}

/** Returns true if each run completed with exactly one effect, and each stream was complete. A load without runs proves nothing. */
export function nothingLost({ runs, completed, brokenStreams, effects }: LoadReport, least: number): boolean {
  return runs >= least && completed === runs && brokenStreams === 0 && effects === runs;
}

async function effectsOf({ releaseApiUrl }: Cluster): Promise<number> {
  const response = await fetch(`${releaseApiUrl}/risk-reports`, { signal: AbortSignal.timeout(10_000) });
  return ((await response.json()) as { readonly total: number }).total;
}

function withoutIds(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\b(?:rn|ap)_[\w.]+\w/g, "…");
}

function countsOf(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
