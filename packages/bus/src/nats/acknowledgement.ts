import { NANOS } from "./topology.ts";

/** The parts of JetStream's reply subject that describe a delivery. */
export interface DeliveryInfo {
  /** The number of this delivery, from 1. */
  readonly count: number;
  /** The message's number in its stream. */
  readonly sequence: number;
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<count>.<sequence>.<delivery>.<time>.<pending>`, or the longer form of newer servers with a domain and an
 * account after `ACK`. Returns null if the subject belongs to no delivery.
 */
export function deliveryInfo(reply: string): DeliveryInfo | null {
  if (!reply.startsWith("$JS.ACK.")) return null;
  const words = reply.split(".");
  const at = words.length > 9 ? 6 : 4;
  const [count, sequence] = [Number(words[at]), Number(words[at + 1])];
  return Number.isSafeInteger(count) && Number.isSafeInteger(sequence) ? { count, sequence } : null;
}

/**
 * The answer for a handled message. JetStream does not confirm answers. If an answer is lost, it delivers the message again. Every answer except
 * `WORKING` ends the delivery.
 */
export const ACK = "+ACK";
/** The answer for a message that must not be delivered again. */
export const TERM = "+TERM";
/** The answer that restarts the time limit of a delivery. */
export const WORKING = "+WPI";

/** Returns the answer that gives a message back. The server delivers it again after `afterMs`, but no later than after a day. */
export function nak(afterMs: number): string {
  const delay = Math.round(Math.min(Math.max(afterMs, 0), LONGEST_DELAY_MS) * NANOS);
  return delay > 0 ? `-NAK {"delay":${delay}}` : "-NAK";
}

const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;
