/**
 * The calls whose writes this process sent. If the ledger's row of one of these calls is missing or is an older one, the ledger lost the row or
 * somebody changed it. A worker that believed this ledger would run the write a second time. The number of calls is bounded, and the oldest calls are
 * forgotten first. An approval belongs to one call, so the id of the call is enough.
 */
export interface CallsSent {
  note(callId: string): void;
  has(callId: string): boolean;
}

export function callsSent({ most = 10_000 }: { readonly most?: number } = {}): CallsSent {
  const sent = new Set<string>();
  return {
    note(callId) {
      sent.delete(callId);
      sent.add(callId);
      const [oldest] = sent;
      if (sent.size > most && oldest !== undefined) sent.delete(oldest);
    },
    has: (callId) => sent.has(callId),
  };
}
