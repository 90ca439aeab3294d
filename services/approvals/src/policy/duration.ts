const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns the milliseconds of a duration of a policy, such as `90m`, `4h` or `2d`. */
export function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^([0-9]+)([mhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
}

/** Returns a duration in words, in the largest unit that has no remainder. */
export function durationInWords(ms: number): string {
  const found = WORDS.find(([unit]) => ms % unit === 0) ?? WORDS.at(-1);
  const [unit, word] = found ?? [1, "ms"];
  const count = ms / unit;
  return `${count} ${word}${count === 1 || word.length < 3 ? "" : "s"}`;
}

const WORDS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
  [1, "ms"],
] as const;
