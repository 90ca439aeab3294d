import type { Full, PublishOutcome } from "./pub-ack.ts";
import type { QueueKind } from "./topology.ts";

/** The streams that had no room for the last message that they received. */
export interface FullStreams {
  /** Records the outcome of a message for a stream of this kind. */
  note(kind: QueueKind, outcome: PublishOutcome): void;
  /** Forgets everything, because a new connection has refused no message yet. */
  clear(): void;
  /** Returns warnings with their remedies, one sentence each, as `/readyz` reports them. They name no namespace, because strangers may read them. */
  warnings(): readonly string[];
}

export function fullStreams(): FullStreams {
  const full = new Map<QueueKind, Full>();
  return {
    note(kind, outcome) {
      if (outcome.kind === "full") full.set(kind, outcome.what);
      // If `again` is true, the stream may still be full, because a full stream also confirms a message that it stored before.
      else if (outcome.kind === "stored" && outcome.again !== true) full.delete(kind);
    },
    clear: () => full.clear(),
    warnings: () => [...new Set([...full].map(([kind, what]) => sentence(kind, what)))],
  };
}

function sentence(kind: QueueKind, what: Full): string {
  switch (what) {
    case "stream":
      return `NATS accepts no messages for the "${kind}" stream, which is full: check why its consumers are behind, or set more max-bytes in BUS_URL and start them again (docs/operations.md)`;
    case "account":
      return "NATS accepts no messages, because the account has used up its storage: raise the account's JetStream limits, or make room (docs/operations.md)";
    case "server":
      return "NATS accepts no messages, because JetStream has no room left: make room on its disk, or raise its max_file_store (docs/operations.md)";
  }
}
