import { isRunEnd, keys, type LiveEvent, type RunAccepted, type StreamBye } from "@toolbus/contracts";
import { type Principal, SAFE_HEADERS } from "@toolbus/runtime";
import type { FastifyReply } from "fastify";
import type { Gateway } from "../gateway.ts";
import type { OwnRun } from "../run-access.ts";
import type { Page, WrittenEvent } from "./feed.ts";
import { liveBytes } from "./live-bytes.ts";
import { liveEventOf } from "./live-event.ts";
import { liveProgress } from "./live-progress.ts";
import { liveText } from "./live-text.ts";
import type { Place } from "./open-streams.ts";
import { sseBytes, sseWriter } from "./sse-writer.ts";
import { takePlace } from "./stream-place.ts";

export interface StreamRequest {
  /** The run as it was when the client came. */
  readonly own: OwnRun;
  /** The last durable sequence that the client has. */
  readonly after: number;
  readonly principal: Principal;
  readonly reply: FastifyReply;
  /** The event with which a stream that a POST opened begins. */
  readonly accepted?: RunAccepted;
  /** Its place, if it was already taken. */
  readonly place?: Place;
}

// Twice what the store keeps of one log as recent; a client with more waiting does not read.
const MAX_EARLY = 1024;

/**
 * Streams a run: every durable event after the client's last one, once and in order, then live events, until the event that ends the run. Deltas of a round
 * whose turn is stored are dropped; a new epoch resets the round's text. A client that leaves stops nothing.
 */
export async function streamRun(gateway: Gateway, { own, after, principal, reply, accepted, ...request }: StreamRequest): Promise<void> {
  const { state, feed, config, log } = gateway;
  const { runId, run } = own;
  const place = request.place ?? takePlace(gateway, principal);
  reply.hijack();
  const writer = sseWriter(reply.raw, config.SSE_BUFFER_BYTES, Object.entries({ ...SAFE_HEADERS, ...reply.getHeaders() }));
  if (accepted) writer.send(sseBytes({ name: accepted.type, data: JSON.stringify(accepted) }));
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  const text = liveText(run ? run.round - 1 : -1);
  const progress = liveProgress(run?.calls.flatMap((call) => (call.resolved ? [] : call.callId)) ?? []);
  let sequence = after;
  let reading: Promise<void> | undefined;
  let again = false;
  let over = false;
  // Live events wait here until the recent ones are read (`joined`), and later until the event that they follow was sent.
  let early: LiveEvent[] = [];
  let joined = false;

  // Listening comes before reading, so that nothing appended in between is missed.
  const listening = feed.listen(runId, { onAppend: () => void look(), onLive: hear });
  const ping = setInterval(() => writer.comment("ping") || close(), config.SSE_PING_MS);
  place.onBye(() => {
    const bye: StreamBye = { type: "bye", reason: "the server is stopping; reconnect with the last event's id" };
    writer.send(sseBytes({ name: bye.type, data: JSON.stringify(bye) }));
    close();
  });
  // Of the response: a request that was read to its end is closed as well.
  reply.raw.on("close", close);
  try {
    await look();
    // An ended run has nothing more to send: a client that already has its last event is not kept waiting.
    if (run !== null && run.endedAt !== null) close();
    else await join();
    await ended;
  } catch (error) {
    breakOff(error);
  } finally {
    close();
    clearInterval(ping);
    listening.leave();
    place.leave();
    reply.raw.off("close", close);
    writer.end();
  }

  function close(): void {
    over = true;
    finish();
  }

  /** The store is briefly unavailable: the client reconnects with its last id and misses nothing. */
  function breakOff(error: unknown): void {
    log.warn({ error, runId }, "a stream broke off");
    close();
  }

  /** Sends the text of the round so far, then the events received in the meantime. */
  async function join(): Promise<void> {
    const recent = await state.recent(keys.live(runId));
    early = [...recent.map(liveEventOf).filter((event) => event !== null), ...early];
    joined = true;
    await look();
  }

  function hear(event: LiveEvent): void {
    if (over) return;
    if (joined && !reading && isDue(event)) {
      if (!sendLive(event)) close();
      return;
    }
    if (early.push(event) > MAX_EARLY) return close();
    if (joined) void look();
  }

  /** Reads the log further; if called while it is reading, it reads once more after that. */
  function look(): Promise<void> {
    again = true;
    reading ??= read();
    return reading;
  }

  async function read(): Promise<void> {
    try {
      while (again && !over) {
        again = false;
        const held = joined ? early.splice(0) : [];
        await readPages();
        // Text that is still waiting follows an event that the log does not have: waiting for it could last forever.
        for (const event of held) if (isDue(event) && !(sendLive(event) && (await caughtUp()))) return close();
      }
    } catch (error) {
      breakOff(error);
    } finally {
      // In the turn in which the loop ends: a later check must not find that somebody is still reading.
      reading = undefined;
    }
  }

  async function readPages(): Promise<void> {
    let page: Page;
    do {
      page = await listening.read(sequence);
      for (const event of page.events) {
        if (over) return;
        if (!sendEvent(event) || (writer.behind() && !(await caughtUp()))) return close();
      }
    } while (page.more);
  }

  /** False if nothing is sent after it: the run's end, or the client is gone. */
  function sendEvent({ sequence: number, event, bytes }: WrittenEvent): boolean {
    sequence = number;
    if (event.type === "turn") text.turned(event.round);
    progress.sent(event);
    return writer.send(bytes) && !isRunEnd(event);
  }

  /** Text follows an event of the log; progress belongs to a call, which is known or not. */
  function isDue(event: LiveEvent): boolean {
    return event.type === "progress" || event.after <= sequence;
  }

  /** False when the client is gone. */
  function sendLive(event: LiveEvent): boolean {
    if (event.type === "progress") return !progress.take(event) || writer.send(liveBytes(event));
    const due = event.type === "arguments" ? text.takeArguments(event) : text.take(event);
    return due.every((item) => writer.send(liveBytes(item)));
  }

  /** Events that can be read again later are sent at the client's pace: they need not be buffered. */
  async function caughtUp(): Promise<boolean> {
    return (await writer.drained(config.SSE_PING_MS)) && !over;
  }
}
