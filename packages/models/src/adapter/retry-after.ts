/** Returns a header of the answer by its name in lower case, or null or undefined if it is absent. */
type Header = (name: string) => string | null | undefined;

/**
 * Returns the wait that the provider asks for, in milliseconds. It reads `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110,
 * 10.2.3). The date is relative to the answer's own `date`, because our clock may differ. Returns null if the headers contain no readable wait.
 */
export function retryAfterMs(header: Header): number | null {
  const ms = amount(header("retry-after-ms"));
  if (ms !== null) return ms;
  const after = header("retry-after");
  const seconds = amount(after);
  if (seconds !== null) return seconds * 1000;
  const wait = httpDate(after) - httpDate(header("date"));
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Parses an HTTP date, or returns `NaN`. `Date.parse` alone accepts nearly anything as a date, for example `-5`. */
function httpDate(text: string | null | undefined): number {
  return /^\s*[A-Za-z]{3,9},? .*GMT\s*$/.test(text ?? "") ? Date.parse(text ?? "") : Number.NaN;
}

function amount(text: string | null | undefined): number | null {
  return /^\s*\d+(\.\d+)?\s*$/.test(text ?? "") ? Number(text) : null;
}
