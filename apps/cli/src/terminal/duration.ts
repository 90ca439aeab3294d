const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
] as const;

/** Returns a time span in its largest whole unit, such as "12 s", "3 min" or "2 d". Returns "0 s" for spans below a second and for negative ones. */
export function spanOf(ms: number): string {
  for (const [unit, size] of UNITS) if (ms >= size) return `${Math.floor(ms / size)} ${unit}`;
  return "0 s";
}

/** Returns how long something took, in milliseconds below a second and in tenths of seconds below a minute. */
export function tookOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : spanOf(ms);
}

const SIZES: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Reads "90", "30s", "5m" or "1h" as milliseconds. A bare number means seconds. Returns null for anything else, for zero, and for spans longer than
 * `longestMs`, which is by default the limit of a timer.
 */
export function parseSpan(text: string, longestMs = LONGEST_MS): number | null {
  const [, figure = "", unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|min|h|d)?$/.exec(text.trim()) ?? [];
  const ms = Math.round(Number(figure) * (SIZES[unit] ?? 0));
  return figure !== "" && ms >= 1 && ms <= longestMs ? ms : null;
}
