import type { MessageBus } from "../message-bus.ts";

/** What an adapter can do beyond the port's guarantees. Capabilities, never names of adapters. */
export interface BusFeatures {
  /** Messages outlive the connection that published them. */
  readonly durable: boolean;
  /** Whether one consumer that handles one message at a time gets them in the order of publishing. */
  readonly ordered: "never" | "single-consumer";
  /** A retry waits as long as the handler asked for. */
  readonly delayedRetry: boolean;
  /** The messages that the adapter publishes to replace another message, which its broker can refuse; the suite gets a way to have them refused. */
  readonly refusable?: readonly Replacement[];
}

/** What replaces a message that is not acked. */
export type Replacement = "dead-letter" | "retry";

/** Makes the broker refuse the replacements of this topic's messages, until the returned function is called. */
export type Refuse = (what: { readonly topic: string; readonly as: Replacement }) => Promise<() => Promise<void>>;

/** What a case works with. Every case has its own namespace, so cases may run at the same time. */
export interface CaseContext {
  readonly bus: MessageBus;
  /** Connects once more to the same namespace; closed after the case. */
  readonly connect: () => Promise<MessageBus>;
  readonly refuse: Refuse;
  /** How long the bus waits for handlers when it stops, in milliseconds. */
  readonly drainMs: number;
  /** How long to wait for anything before the case fails, in milliseconds. */
  readonly patienceMs: number;
}

/** One guarantee of the port as a check that rejects when a bus breaks it. */
export interface BusCase {
  readonly area: string;
  readonly name: string;
  /** Features without which the case makes no sense. */
  readonly needs?: (features: BusFeatures) => boolean;
  readonly run: (context: CaseContext) => Promise<void>;
}
