import type { Channel } from "amqplib";
import { BusUnavailable } from "../message-bus.ts";
import { faultFields, type PipelineLog } from "../pipeline-log.ts";
import { settled } from "./settled.ts";

/** A channel that cannot take the process down, and that reports its end. */
export interface GuardedChannel<C extends Channel> {
  readonly channel: C;
  /** Aborts when the channel is gone, whoever ended it. */
  readonly gone: AbortSignal;
  /** What ended it, as far as it was reported. */
  readonly fault: unknown;
  /** Ends it within `CLOSE_MS`; `gone` aborts at once. Safe to call twice, and on a channel that is gone. */
  end(): Promise<void>;
}

/** Puts a new channel under guard: without listeners a channel's "error" ends the process. */
export function guardedChannel<C extends Channel>(channel: C, log: PipelineLog): GuardedChannel<C> {
  const over = new AbortController();
  let fault: unknown;
  channel.on("error", (error) => (fault = error));
  channel.on("handler-error", (error) => log.error(faultFields(error), "a listener of a channel failed"));
  channel.on("close", () => over.abort());
  return {
    channel,
    gone: over.signal,
    get fault() {
      return fault;
    },
    async end() {
      if (over.signal.aborted) return;
      over.abort();
      await settled(channel.close(), CLOSE_MS);
    },
  };
}

const CLOSE_MS = 2000;

/** What a log may say about an ended channel. The broker's own words contain names of queues and users, and nothing from messages. */
export function channelFault(fault: unknown): { readonly code: string; readonly reason?: string } {
  const cause = fault instanceof BusUnavailable ? (fault.cause ?? fault) : fault;
  const reason = fault instanceof BusUnavailable ? fault.message : brokerReply(fault);
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "number" ? String(cause.code) : faultFields(cause).code;
  return reason === undefined ? { code } : { code, reason };
}

/** The broker's words when it refused something, at most 300 characters; undefined if it was not the broker. */
export function brokerReply(fault: unknown): string | undefined {
  if (!(fault instanceof Error)) return undefined;
  return /with message "(.*)"$/s.exec(fault.message)?.[1]?.slice(0, LONGEST_REPLY);
}

const LONGEST_REPLY = 300;
