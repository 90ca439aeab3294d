import type { MessageBus } from "../message-bus.ts";

/** The capabilities of an adapter beyond the port's guarantees. A case asks for a capability and never for the name of an adapter. */
export interface BusFeatures {
  /** True if messages outlive the connection that published them. */
  readonly durable: boolean;
  /** Whether a consumer that handles one message at a time receives the messages in the order of publishing. */
  readonly ordered: "never" | "single-consumer";
  /** True if a retry waits as long as the handler asked for. */
  readonly delayedRetry: boolean;
  /**
   * The kinds of replacements that the adapter publishes and that its broker can refuse. If the list is not empty, the suite needs a function that
   * makes the broker refuse them.
   */
  readonly refusable?: readonly Replacement[];
}

/** The kind of message that the bus publishes in place of a message that the handler did not ack. */
export type Replacement = "dead-letter" | "retry";

/** Makes the broker refuse the replacements of this topic's messages, until the caller calls the returned function. */
export type Refuse = (what: { readonly topic: string; readonly as: Replacement }) => Promise<() => Promise<void>>;

/** The context of a case. Every case has its own namespace, so cases may run at the same time. */
export interface CaseContext {
  readonly bus: MessageBus;
  /** Opens another connection to the same namespace. The runner closes the connection after the case. */
  readonly connect: () => Promise<MessageBus>;
  readonly refuse: Refuse;
  /** How long the bus waits for handlers when it stops, in milliseconds. */
  readonly drainMs: number;
  /** How long a case may wait for an event before it fails, in milliseconds. */
  readonly patienceMs: number;
}

/** One guarantee of the port, as a check that rejects when a bus breaks it. */
export interface BusCase {
  readonly area: string;
  readonly name: string;
  /** Returns whether an adapter has the features that the case needs. */
  readonly needs?: (features: BusFeatures) => boolean;
  readonly run: (context: CaseContext) => Promise<void>;
}
