/** Timings of a worker in milliseconds. Tests use short ones. */
export interface WorkerTimings {
  /** How long an attempt at a write keeps others out after its last heartbeat. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Waits before a delivery comes again, by its delivery count; the last one for all later ones. */
  readonly retryMs: readonly number[];
}

export const workerTimings: WorkerTimings = { leaseMs: 10_000, renewMs: 3000, retryMs: [1000, 5000, 30_000] };

/** The wait after the delivery, or the attempt, with this number (from 1). */
export function retryAfter(timings: WorkerTimings, count: number): number {
  return timings.retryMs[Math.min(Math.max(count, 1), timings.retryMs.length) - 1] ?? 1000;
}
