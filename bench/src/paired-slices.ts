import { setImmediate } from "node:timers/promises";

/** The clocks of a measurement, in milliseconds from any start. */
export interface Stopwatch {
  now(): number;
  /** Returns the time that all threads of this process spent on a processor. */
  cpuMs(): number;
}

/** Does its work once, from start to end. */
export type Work = () => Promise<void>;

export interface PairedOptions {
  readonly subject: Work;
  /** The same work without the subject. */
  readonly bare: Work;
  /** How long both sides together are measured, in seconds. The warm-up takes extra time. */
  readonly seconds: number;
  /** How long one side works before the other side's slice begins. */
  readonly sliceMs: number;
  readonly stopwatch: Stopwatch;
  readonly signal: AbortSignal;
}

/** The totals of all slices of one side. */
export interface Measured {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The time of each piece of work, in milliseconds, shortest first. */
  readonly latencies: readonly number[];
}

export interface Paired {
  readonly subject: Measured;
  readonly bare: Measured;
  /** For each slice of the subject: its time per piece of work, divided by the time in the next bare slice. The smallest ratio is first. */
  readonly ratios: readonly number[];
}

const LEAST_ROUNDS = 5;
/** A piece of work that takes longer than this is treated as hanging. */
const STALLED_MS = 30_000;

/**
 * Measures two ways to do the same work in alternating slices. The speed of a shared machine changes over time. But each slice is compared with its
 * neighbour, so the ratios are valid even if the absolute figures are not. Rejects if work fails or hangs, or if the signal aborts.
 */
export async function pairedSlices(options: PairedOptions): Promise<Paired> {
  const { subject, bare, seconds, sliceMs, signal } = options;
  const rounds = Math.max(LEAST_ROUNDS, Math.ceil((seconds * 1000) / (2 * sliceMs)));
  await slice(subject, options);
  await slice(bare, options);
  const subjects: Measured[] = [];
  const bares: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    subjects.push(await slice(subject, options));
    bares.push(await slice(bare, options));
  }
  const ratios = subjects.map((measured, i) => timeEach(measured) / timeEach(bares[i] ?? measured));
  return { subject: together(subjects), bare: together(bares), ratios: ratios.toSorted((a, b) => a - b) };
}

/** Works until the slice is over, at least once. */
async function slice(work: Work, { sliceMs, stopwatch, signal }: PairedOptions): Promise<Measured> {
  // Work that the other side left behind must not count as work of this side.
  await setImmediate();
  const watch = watchFor(signal);
  try {
    return await Promise.race([worked(work, sliceMs, stopwatch, watch.ended), watch.ended]);
  } finally {
    watch.stop();
  }
}

async function worked(work: Work, sliceMs: number, stopwatch: Stopwatch, ended: Promise<never>): Promise<Measured> {
  let given = false;
  ended.catch(() => (given = true));
  const latencies: number[] = [];
  const cpu = stopwatch.cpuMs();
  const start = stopwatch.now();
  let now = start;
  do {
    await work();
    const then = stopwatch.now();
    latencies.push(then - now);
    now = then;
  } while (now - start < sliceMs && !given);
  return { wallMs: now - start, cpuMs: stopwatch.cpuMs() - cpu, latencies };
}

/**
 * Returns a promise that rejects on abort, or if a slice does not end in time. There is one timer per slice. A timer per piece of work would be
 * measured too.
 */
function watchFor(signal: AbortSignal): { readonly ended: Promise<never>; stop(): void } {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const onAbort = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new Error(`a slice did not end within ${STALLED_MS / 1000} s`)), STALLED_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    ended,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    },
  };
}

const timeEach = ({ wallMs, latencies }: Measured): number => wallMs / latencies.length;

function together(slices: readonly Measured[]): Measured {
  return {
    wallMs: sum(slices.map(({ wallMs }) => wallMs)),
    cpuMs: sum(slices.map(({ cpuMs }) => cpuMs)),
    latencies: slices.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
