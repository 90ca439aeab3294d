import { NANOS } from "./topology.ts";

/** What JetStream says about a delivery, in its reply subject. */
export interface DeliveryInfo {
  /** 1 the first time. */
  readonly count: number;
  /** The message's number in its stream. */
  readonly sequence: number;
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<count>.<sequence>.<delivery>.<time>.<pending>`, or the longer form of newer servers with a domain and an account
 * after `ACK`. Null if it is not a delivery.
 */
export function deliveryInfo(reply: string): DeliveryInfo | null {
  if (!reply.startsWith("$JS.ACK.")) return null;
  const words = reply.split(".");
  const at = words.length > 9 ? 6 : 4;
  const [count, sequence] = [Number(words[at]), Number(words[at + 1])];
  return Number.isSafeInteger(count) && Number.isSafeInteger(sequence) ? { count, sequence } : null;
}

/** The answers to a delivery. Each except `WORKING` ends it; JetStream confirms none of them, and if an answer is lost the message comes again. */
export const ACK = "+ACK";
/** The message is finished, and must not be delivered again. */
export const TERM = "+TERM";
/** Its time starts again. */
export const WORKING = "+WPI";

/** Gives a message back, to come again in `afterMs`; at most a day. */
export function nak(afterMs: number): string {
  const delay = Math.round(Math.min(Math.max(afterMs, 0), LONGEST_DELAY_MS) * NANOS);
  return delay > 0 ? `-NAK {"delay":${delay}}` : "-NAK";
}

const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;
