/** One try of a delivery that did not end in an ack. `at` is the wall clock in milliseconds. */
export interface Try {
  readonly at: number;
  readonly reason: string;
}

/**
 * What this process saw of the earlier tries of messages that will come again, for the dead letter of a message that never succeeds. It is bounded: it
 * keeps the last tries of the messages that failed last, and does not know tries in other processes. No decision depends on it.
 */
export interface DeliveryHistory {
  add(messageId: string, entry: Try): void;
  /** Oldest first; empty if nothing is known. */
  of(messageId: string): readonly Try[];
  forget(messageId: string): void;
}

export function deliveryHistory(bounds: { readonly messages: number; readonly tries: number }): DeliveryHistory {
  // A map iterates in insertion order, so the first key is the message with the oldest last try.
  const kept = new Map<string, readonly Try[]>();
  return {
    add(messageId, entry) {
      const tries = [...(kept.get(messageId) ?? []), entry].slice(-bounds.tries);
      kept.delete(messageId);
      kept.set(messageId, tries);
      if (kept.size <= bounds.messages) return;
      const [oldest] = kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
    },
    of: (messageId) => kept.get(messageId) ?? [],
    forget: (messageId) => void kept.delete(messageId),
  };
}
