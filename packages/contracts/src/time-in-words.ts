/** Returns a span of time in its largest unit, such as `12 min` or `3 h`. A negative span is `0 s`. */
export function spanInWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  // Spans of less than two hours are in minutes, because minutes matter to somebody who has to decide.
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Returns a time in UTC to the minute, such as `2026-06-08 09:00 UTC`. */
export function utcMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
