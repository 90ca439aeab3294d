import type { Channel } from "amqplib";
import { BusUnavailable } from "../message-bus.ts";
import { faultFields, type PipelineLog } from "../pipeline-log.ts";
import { settled } from "./settled.ts";

/** A channel that cannot crash the process, and that reports its end. */
export interface GuardedChannel<C extends Channel> {
  readonly channel: C;
  /** Aborts when the channel is closed, whoever closed it. */
  readonly gone: AbortSignal;
  /** The error that closed the channel, if one was reported. */
  readonly fault: unknown;
  /** Closes the channel within `CLOSE_MS`. `gone` aborts at once. The call is safe on a closed channel. */
  end(): Promise<void>;
}

/** Adds listeners to a new channel. Without them, an "error" event of the channel would end the process. */
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

/** Returns what a log may say about a closed channel. The broker's own words contain names of queues and users, but nothing from messages. */
export function channelFault(fault: unknown): { readonly code: string; readonly reason?: string } {
  const cause = fault instanceof BusUnavailable ? (fault.cause ?? fault) : fault;
  const reason = fault instanceof BusUnavailable ? fault.message : brokerReply(fault);
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "number" ? String(cause.code) : faultFields(cause).code;
  return reason === undefined ? { code } : { code, reason };
}

/** Returns the broker's words about a refusal, at most 300 characters. Returns undefined if the broker did not cause the fault. */
export function brokerReply(fault: unknown): string | undefined {
  if (!(fault instanceof Error)) return undefined;
  return /with message "(.*)"$/s.exec(fault.message)?.[1]?.slice(0, LONGEST_REPLY);
}

const LONGEST_REPLY = 300;
