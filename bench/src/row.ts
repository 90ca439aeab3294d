import type { Paired } from "./paired-slices.ts";

/** One line of a result. Times are in milliseconds. */
export interface Row {
  readonly name: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  /** Processor time of the whole process for each. */
  readonly cpuMsPer: number;
  readonly bareP50Ms: number;
  /** How many times as long as the bare work: the median over the slices. */
  readonly ratio: number;
  /** The first and the third quartile of that. */
  readonly quartiles: readonly [number, number];
}

/** The row of a measurement, per equal piece, if one piece of its work consisted of several. */
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

/** The value below which this share of the sorted values is, interpolated; NaN for none. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Three significant digits: more would pretend precision. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
