import { type Markup, markup } from "./markup.ts";

/** Returns a span of time in its largest unit, such as `12 min` or `3 h`. */
export function spanInWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Returns a time in UTC, to the minute. */
export function timeOf(ms: number): Markup {
  const text = new Date(ms).toISOString();
  return markup`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}
