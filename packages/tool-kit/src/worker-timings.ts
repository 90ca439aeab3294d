/** The timings of a worker, in milliseconds. Tests use short ones. */
export interface WorkerTimings {
  /** The time for which an attempt at a write keeps other attempts out after its last renewal. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The waits before a message is delivered again, by its delivery count. The last wait is used for all later deliveries. */
  readonly retryMs: readonly number[];
}

export const workerTimings: WorkerTimings = { leaseMs: 10_000, renewMs: 3000, retryMs: [1000, 5000, 30_000] };

/** Returns the wait after the delivery or the attempt with this number (from 1). */
export function retryAfter(timings: WorkerTimings, count: number): number {
  return timings.retryMs[Math.min(Math.max(count, 1), timings.retryMs.length) - 1] ?? 1000;
}
