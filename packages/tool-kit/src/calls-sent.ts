/**
 * The calls that this process sent. If the ledger's row of such a call is missing, or is an older one, the ledger lost it or somebody changed it: to
 * believe the ledger would run the write a second time. Bounded: the oldest calls are forgotten first. An approval belongs to one call, so the call names
 * it.
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
