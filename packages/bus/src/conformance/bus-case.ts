import type { MessageBus } from "../message-bus.ts";

/** What an adapter can do beyond the port's guarantees. Capabilities, never names of adapters. */
export interface BusFeatures {
  /** Messages outlive the connection that published them. */
  readonly durable: boolean;
  /** Whether one consumer that handles one message at a time gets them in the order of publishing. */
  readonly ordered: "never" | "single-consumer";
  /** A retry waits as long as the handler asked for. */
  readonly delayedRetry: boolean;
  /** What the adapter puts in the place of a message by publishing it, so that its broker can refuse it; the suite is given a way to have it refused. */
  readonly refusable?: readonly Replacement[];
}

/** What takes the place of a message that is not acked. */
export type Replacement = "dead-letter" | "retry";

/** Has the broker refuse what is published in the place of messages of this topic, until the function that it gives is called. */
export type Refuse = (what: { readonly topic: string; readonly as: Replacement }) => Promise<() => Promise<void>>;

/** What a case works with. Every case has a namespace of its own, so cases may run at the same time. */
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
  /** Features without which the case means nothing. */
  readonly needs?: (features: BusFeatures) => boolean;
  readonly run: (context: CaseContext) => Promise<void>;
}
