const UNITS: readonly (readonly [unit: string, ms: number, least: number])[] = [
  ["d", 86_400_000, 3],
  ["h", 3_600_000, 1],
  ["min", 60_000, 1],
  ["s", 1000, 1],
];

/** Returns a duration in the largest unit that needs no fraction: `250 ms`, `90 s`, `15 min`, `48 h`, `7 d`. */
export function durationText(ms: number): string {
  const [unit = "ms", size = 1] = UNITS.find(([, each, least]) => ms % each === 0 && ms / each >= least) ?? [];
  return `${ms / size} ${unit}`;
}
