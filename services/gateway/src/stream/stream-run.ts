import { isRunEnd, type Json, keys, type RunEvent, type TextDelta } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { LogEntry } from "@toolbus/state";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";
import type { OwnRun } from "../run-access.ts";
import { eventId } from "./event-id.ts";
import { deltaOf, liveText } from "./live-text.ts";
import { sseWriter } from "./sse-writer.ts";

export interface StreamRequest {
  /** The run as it was when the client came. */
  readonly own: OwnRun;
  /** The last durable sequence that the client has. */
  readonly after: number;
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const PAGE = 200;
// Twice what the store keeps of one log as recent; whoever has more waiting does not read.
const MAX_EARLY = 1024;

/**
 * Streams a run: every durable event after the client's last one, once and in order, then what is live, until the event that ends the run.
 * Deltas of a round whose turn is stored are dropped; a new epoch resets the round's text. A client that leaves stops nothing.
 */
export async function streamRun(gateway: Gateway, { own, after, principal, request, reply }: StreamRequest): Promise<void> {
  const { state, feed, streams, config, log } = gateway;
  const { runId, run } = own;
  const place = streams.take(principal.id);
  if (!place) {
    throw new HttpProblem(
      "rate_limited",
      `This principal has ${config.SSE_PER_PRINCIPAL} open streams already.`,
      { remedy: "Close one first." },
      { "retry-after": "5" },
    );
  }
  const logs = { events: keys.events(runId), live: keys.live(runId) };
  reply.hijack();
  const writer = sseWriter(reply.raw, config.SSE_BUFFER_BYTES);
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  const text = liveText(run ? run.round - 1 : -1);
  let sequence = after;
  let reading: Promise<void> | undefined;
  let again = false;
  let over = false;
  // Deltas wait here until the recent ones are read (`joined`), and later until the event that they follow was sent.
  let early: TextDelta[] = [];
  let joined = false;

  // Listening comes before reading: what is appended in between is not missed.
  const leave = feed.listen(logs, { onAppend: () => void look(), onLive: hear });
  const ping = setInterval(() => writer.comment("ping") || close(), config.SSE_PING_MS);
  const leaveStreams = place.onBye(() => {
    writer.event({ name: "bye", data: JSON.stringify({ reason: "the server is stopping; come back with the last event's id" }) });
    close();
  });
  request.raw.on("close", close);
  try {
    await look();
    // An ended run has no more to say: whoever has its last event already is not kept waiting.
    if (run !== null && run.endedAt !== null) close();
    else await join();
    await ended;
  } catch (error) {
    breakOff(error);
  } finally {
    close();
    clearInterval(ping);
    leave();
    leaveStreams();
    request.raw.off("close", close);
    writer.end();
  }

  function close(): void {
    over = true;
    finish();
  }

  /** The store is away for a moment: the client comes back with its last id and misses nothing. */
  function breakOff(error: unknown): void {
    log.warn({ error, runId }, "a stream broke off");
    close();
  }

  /** Sends the text of the round so far, then what was heard of it meanwhile. */
  async function join(): Promise<void> {
    const recent = await state.recent(logs.live);
    early = [...recent.map(deltaOf).filter((delta) => delta !== null), ...early];
    joined = true;
    await look();
  }

  function hear(batch: Json): void {
    const delta = deltaOf(batch);
    if (over || !delta) return;
    if (joined && !reading && delta.after <= sequence) {
      if (!sendText(delta)) close();
      return;
    }
    if (early.push(delta) > MAX_EARLY) return close();
    if (joined) void look();
  }

  /** Reads the log on; called while it is reading, it reads once more after that. */
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
        // Text that is still ahead follows an event that the log does not have: waiting for it could last for ever.
        for (const delta of held) if (delta.after <= sequence && !(sendText(delta) && (await caughtUp()))) return close();
      }
    } catch (error) {
      breakOff(error);
    } finally {
      // In the turn in which the loop ends: whoever looks a moment later must not be told that somebody is reading.
      reading = undefined;
    }
  }

  async function readPages(): Promise<void> {
    let page: readonly LogEntry[];
    do {
      page = await state.range(logs.events, { after: sequence, limit: PAGE });
      for (const entry of page) {
        if (over) return;
        if (!sendEvent(entry) || !(await caughtUp())) return close();
      }
    } while (page.length === PAGE);
  }

  /** False when nothing is sent after it: the run's end, or the client is gone. */
  function sendEvent(entry: LogEntry): boolean {
    const event = entry.value as unknown as RunEvent;
    sequence = entry.sequence;
    if (event.type === "turn") text.turned(event.round);
    return (
      writer.event({ id: eventId(runId, sequence), name: event.type, data: JSON.stringify({ sequence, ...event }) }) && !isRunEnd(event)
    );
  }

  /** False when the client is gone. */
  function sendText(delta: TextDelta): boolean {
    return text.take(delta).every((item) => writer.event({ name: item.type, data: JSON.stringify(item) }));
  }

  /** What can be read again later is sent at the client's pace: it need not be buffered. */
  async function caughtUp(): Promise<boolean> {
    return (await writer.drained(config.SSE_PING_MS)) && !over;
  }
}
