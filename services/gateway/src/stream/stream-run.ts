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
  /** The run as it was when the client connected. */
  readonly own: OwnRun;
  /** The last durable sequence that the client has. */
  readonly after: number;
  readonly principal: Principal;
  readonly reply: FastifyReply;
  /** The first event of a stream that a POST opened. */
  readonly accepted?: RunAccepted;
  /** The place of the stream, if it was reserved before. */
  readonly place?: Place;
}

// The most live events that wait for a client. This is twice the number of recent events that the store keeps of one log. A client with more waiting
// events does not read.
const MAX_EARLY = 1024;

/**
 * Streams a run. It sends every durable event after the client's last one, once and in order, and then live events, until the event that ends the
 * run. It drops deltas of a round whose turn is stored. A new epoch resets the round's text. The run continues if a client leaves.
 */
export async function streamRun(gateway: Gateway, { own, after, principal, reply, accepted, ...request }: StreamRequest): Promise<void> {
  const { state, feed, config, log } = gateway;
  const { runId, run, origin } = own;
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

  // The stream listens before it reads, so that it misses no event that is appended in between.
  const listening = feed.listen(runId, { onAppend: () => void look(), onLive: hear });
  const ping = setInterval(() => writer.comment("ping") || close(), config.SSE_PING_MS);
  place.onBye(() => {
    const bye: StreamBye = { type: "bye", reason: "the server is stopping; reconnect with the last event's id" };
    writer.send(sseBytes({ name: bye.type, data: JSON.stringify(bye) }));
    close();
  });
  // The stream watches the response, because the request is closed as soon as its body was read.
  reply.raw.on("close", close);
  try {
    await look();
    // The run has ended, so no further event follows. The stream closes here even if the client already had the last event.
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

  /** Closes the stream while the store is briefly unavailable. The client reconnects with its last id and misses nothing. */
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

  /** Reads the log after the last event that was read. A call during a read causes one more read after it. */
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
        // Text that is not due yet follows an event that the log does not have. The stream drops this text, because it could wait forever.
        for (const event of held) if (isDue(event) && !(sendLive(event) && (await caughtUp()))) return close();
      }
    } catch (error) {
      breakOff(error);
    } finally {
      // `reading` is cleared in the same turn of the event loop in which the read ends. A later check then does not find a read in progress.
      reading = undefined;
    }
  }

  async function readPages(): Promise<void> {
    let page: Page;
    do {
      page = await listening.read(origin.conversationId, sequence);
      for (const event of page.events) {
        if (over) return;
        if (!sendEvent(event) || (writer.behind() && !(await caughtUp()))) return close();
      }
    } while (page.more);
  }

  /** Returns false if nothing is sent after this event, because the run has ended or the client is gone. */
  function sendEvent({ sequence: number, event, bytes }: WrittenEvent): boolean {
    sequence = number;
    if (event.type === "turn") text.turned(event.round);
    progress.sent(event);
    return writer.send(bytes) && !isRunEnd(event);
  }

  /** Returns whether a live event can be sent now. Text must wait until the event that it follows was sent. Progress never waits. */
  function isDue(event: LiveEvent): boolean {
    return event.type === "progress" || event.after <= sequence;
  }

  /** Returns false if the client is gone. */
  function sendLive(event: LiveEvent): boolean {
    if (event.type === "progress") return !progress.take(event) || writer.send(liveBytes(event));
    const due = event.type === "arguments" ? text.takeArguments(event) : text.take(event);
    return due.every((item) => writer.send(liveBytes(item)));
  }

  /** Waits until the client has caught up. Events need no buffer in the meantime, because they can be read again later. */
  async function caughtUp(): Promise<boolean> {
    return (await writer.drained(config.SSE_PING_MS)) && !over;
  }
}
