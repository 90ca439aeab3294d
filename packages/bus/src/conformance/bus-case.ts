import type { MessageBus } from "../message-bus.ts";

/** What an adapter can do beyond the port's guarantees. Capabilities, never names of adapters. */
export interface BusFeatures {
  /** Messages outlive the connection that published them. */
  readonly durable: boolean;
  /** Whether one consumer that handles one message at a time gets them in the order of publishing. */
  readonly ordered: "never" | "single-consumer";
  /** A retry waits as long as the handler asked for. */
  readonly delayedRetry: boolean;
}

/** What a case works with. Every case has a namespace of its own, so cases may run at the same time. */
export interface CaseContext {
  readonly bus: MessageBus;
  /** Connects once more to the same namespace; closed after the case. */
  readonly connect: () => Promise<MessageBus>;
  /** How long the bus waits for handlers when it stops, in milliseconds. */
  readonly drainMs: number;
  /** How long to wait for anything before the case fails, in milliseconds. */
  readonly patienceMs: number;
}

/** One guarantee of the port as a check that rejects when a bus breaks it. */
export interface BusCase {
  readonly area: string;
  readonly name: string;
  /** Features without which the case means nothing. */
  readonly needs?: (features: BusFeatures) => boolean;
  readonly run: (context: CaseContext) => Promise<void>;
}
