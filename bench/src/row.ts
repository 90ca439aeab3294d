import type { Paired } from "./paired-slices.ts";

/** One line of a result. Times are in milliseconds. */
export interface Row {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  /** The processor time of the whole process for each piece of work. */
  readonly cpuMsPer: number;
  readonly bareP50Ms: number;
  /** The time of the subject divided by the time of the bare work: the median over the slices. */
  readonly ratio: number;
  /** The first and the third quartile of `ratio` over the slices. */
  readonly quartiles: readonly [number, number];
}

/** Returns the row of a measurement. If one piece of the work consisted of several equal parts (`pieces`), the row is for one part. */
export function rowOf(name: string, { subject, bare, ratios }: Paired, pieces = 1): Row {
  const { latencies, wallMs, cpuMs } = subject;
  const done = latencies.length * pieces;
  return {
    name,
    p50Ms: rounded(quantile(latencies, 0.5) / pieces),
    p99Ms: rounded(quantile(latencies, 0.99) / pieces),
    perSecond: rounded((done * 1000) / wallMs),
    cpuMsPer: rounded(cpuMs / done),
    bareP50Ms: rounded(quantile(bare.latencies, 0.5) / pieces),
    ratio: rounded(quantile(ratios, 0.5)),
    quartiles: [rounded(quantile(ratios, 0.25)), rounded(quantile(ratios, 0.75))],
  };
}

/** Returns the value below which this share of the sorted values lies. Interpolates between two values. Returns NaN for an empty list. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Rounds to three significant digits, because the measurement is not more precise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
