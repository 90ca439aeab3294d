import type { ChannelKind, WebhookDelivery } from "@toolbus/contracts";
import type { EmailTarget, SlackTarget, Target, WebhookTarget } from "./webhook-targets.ts";

/** The time of an attempt, in milliseconds. A target that has not answered by then has failed. */
export const ANSWER_WITHIN_MS = 10_000;

/** The content for a target: the data about the approval or the run, and the tenant that owns it. */
export interface WebhookContent {
  readonly tenant: string;
  readonly data: object;
}

/** One attempt to notify a target of an event. */
export interface Sending<T> {
  readonly target: T;
  readonly delivery: WebhookDelivery;
  readonly content: WebhookContent;
  /** The time of the attempt, by the store's clock. */
  readonly now: number;
  /** Aborts when the service stops or the time of the attempt is over. */
  readonly signal: AbortSignal;
}

/** The outcome of an attempt. `reason` contains nothing secret: neither the path of an address nor the target's own words. */
export type AttemptOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "gone" }
  /** No retry can succeed before an operator changes something. */
  | { readonly kind: "refused"; readonly reason: string }
  /** `afterMs` is the wait for which the target asked. */
  | { readonly kind: "failed"; readonly reason: string; readonly afterMs?: number };

/**
 * A way to notify people or systems of an event. A channel makes one attempt. The durable deliveries around it retry a failed attempt, give up after
 * the last one, and repeat an attempt if the process died before it recorded the outcome.
 */
export interface Channel<T> {
  /** Makes one attempt. A fault of the target is an outcome and not an error. If `send` throws, the attempt has failed. */
  send(sending: Sending<T>): Promise<AttemptOutcome>;
}

/** The channels that a service has. */
export interface Channels {
  readonly webhook: Channel<WebhookTarget>;
  readonly email?: Channel<EmailTarget>;
  readonly slack?: Channel<SlackTarget>;
}

/** Makes an attempt through the channel of the target. Returns null if the service does not have this channel. */
export function sendThrough(channels: Channels, { target, ...rest }: Sending<Target>): Promise<AttemptOutcome> | null {
  switch (target.kind) {
    case "webhook":
      return channels.webhook.send({ target, ...rest });
    case "email":
      return channels.email?.send({ target, ...rest }) ?? null;
    case "slack":
      return channels.slack?.send({ target, ...rest }) ?? null;
  }
}

/** Returns the channel of a stored delivery. Deliveries of earlier versions name none, because they had only webhooks. */
export function channelOf({ channel = "webhook" }: Pick<WebhookDelivery, "channel">): ChannelKind {
  return channel;
}
