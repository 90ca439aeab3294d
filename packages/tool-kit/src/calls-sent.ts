/**
 * The calls that this process sent. A ledger whose row of such a call is gone, or is one from before, has lost it or was changed by somebody: to believe it
 * would run the write a second time. Bounded: the calls that were sent longest ago are forgotten first. An approval belongs to one call, so the call names it.
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
