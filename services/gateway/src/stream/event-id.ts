/** Returns the SSE id of a durable event: `<runId>:<sequence>`. */
export function eventId(runId: string, sequence: number): string {
  return `${runId}:${sequence}`;
}

/** Returns the sequence in a `Last-Event-ID` of this run. Returns 0 without a header and null for an invalid id. */
export function parseEventId(header: string | string[] | undefined, runId: string): number | null {
  if (header === undefined || header === "") return 0;
  if (typeof header !== "string" || !header.startsWith(`${runId}:`)) return null;
  const digits = header.slice(runId.length + 1);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
