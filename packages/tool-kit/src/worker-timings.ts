/** The timings of a worker, in milliseconds. Tests use short ones. */
export interface WorkerTimings {
  /** The time for which an attempt at a write keeps other attempts out after its last renewal. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The waits before a message is delivered again, by its delivery count. The last wait is used for all later deliveries. */
  readonly retryMs: readonly number[];
  /** The waits of a write in the worker, one after another, while another write has its resource. Most writes take less time than all of them. */
  readonly turnHereMs: readonly number[];
  /** The waits of such a write in the queue after that, by its delivery count. RabbitMQ rounds 500 ms and 2 s down. */
  readonly turnMs: readonly number[];
}

export const workerTimings: WorkerTimings = {
  leaseMs: 10_000,
  renewMs: 3000,
  retryMs: [1000, 5000, 30_000],
  turnHereMs: [15, 25, 40, 60, 60, 100, 100, 100],
  turnMs: [250, 500, 1000, 2000, 2000, 2000, 5000, 30_000],
};

/** Returns the wait after the delivery or the attempt with this number (from 1). */
export function retryAfter({ retryMs }: WorkerTimings, count: number): number {
  return waitOf(retryMs, count);
}

/** Returns the wait of a write after the delivery with this number (from 1), if another write has its resource. */
export function turnAfter({ turnMs }: WorkerTimings, count: number): number {
  return waitOf(turnMs, count);
}

function waitOf(waits: readonly number[], count: number): number {
  return waits[Math.min(Math.max(count, 1), waits.length) - 1] ?? 1000;
}
