/** One delivery that did not end in an ack. `at` is the wall-clock time, in milliseconds. */
export interface Try {
  readonly at: number;
  readonly reason: string;
}

/**
 * The earlier tries, in this process, of messages that will be delivered again. If a message never succeeds, its dead letter lists its tries. The
 * history is bounded: it keeps only the last tries of the messages that failed most recently. It does not know tries in other processes. No
 * decision depends on it.
 */
export interface DeliveryHistory {
  add(messageId: string, entry: Try): void;
  /** Returns the tries of a message, oldest first. The list is empty if nothing is known. */
  of(messageId: string): readonly Try[];
  forget(messageId: string): void;
}

export function deliveryHistory(bounds: { readonly messages: number; readonly tries: number }): DeliveryHistory {
  // A map iterates in insertion order, so the first key is the message whose last try is the oldest.
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
