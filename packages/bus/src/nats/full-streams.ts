import type { Full, PublishOutcome } from "./pub-ack.ts";
import type { QueueKind } from "./topology.ts";

/** Which streams had no room for the last message that they were asked to store. */
export interface FullStreams {
  /** What became of a message for a stream of this kind. */
  note(kind: QueueKind, outcome: PublishOutcome): void;
  /** Forgets all: on another connection nobody has refused anything. */
  clear(): void;
  /** A sentence with its remedy each, as `/readyz` tells it. It names no namespace, as strangers may read it. */
  warnings(): readonly string[];
}

export function fullStreams(): FullStreams {
  const full = new Map<QueueKind, Full>();
  return {
    note(kind, outcome) {
      if (outcome.kind === "full") full.set(kind, outcome.what);
      // A message that was stored before is confirmed by a full stream too.
      else if (outcome.kind === "stored" && outcome.again !== true) full.delete(kind);
    },
    clear: () => full.clear(),
    warnings: () => [...new Set([...full].map(([kind, what]) => sentence(kind, what)))],
  };
}

function sentence(kind: QueueKind, what: Full): string {
  switch (what) {
    case "stream":
      return `NATS takes no messages for the "${kind}" stream, which is full: see why its consumers are behind, or set more max-bytes in BUS_URL and start them again (docs/operations.md)`;
    case "account":
      return "NATS takes no messages, as the account has stored all that it may: raise the account's JetStream limits, or make room (docs/operations.md)";
    case "server":
      return "NATS takes no messages, as JetStream has no room left: make room on its disk, or raise its max_file_store (docs/operations.md)";
  }
}
