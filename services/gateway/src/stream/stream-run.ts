import { isRunEnd, keys, type RunEvent, type TextDelta } from "@toolbus/contracts";
import { HttpProblem, type Principal } from "@toolbus/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";
import { eventId } from "./event-id.ts";
import { sseWriter } from "./sse-writer.ts";

export interface StreamRequest {
  readonly runId: string;
  /** The last durable sequence that the client has. */
  readonly after: number;
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const PAGE = 200;

/**
 * Streams a run: every durable event after the client's last one, once and in order, then what is live, until the event that ends the run.
 * Deltas of a round whose turn was sent are dropped; a new epoch resets the round's text. A client that leaves stops nothing.
 */
export async function streamRun(gateway: Gateway, { runId, after, principal, request, reply }: StreamRequest): Promise<void> {
  const { state, feed, streams, config } = gateway;
  const place = streams.take(principal.id);
  if (!place) {
    throw new HttpProblem("rate_limited", `This principal has ${config.SSE_PER_PRINCIPAL} open streams already.`, { remedy: "Close one first." }, { "retry-after": "5" });
  }
  const logs = { events: keys.events(runId), live: keys.live(runId) };
  reply.hijack();
  const writer = sseWriter(reply.raw, config.SSE_BUFFER_BYTES);
  const { promise: ended, resolve: finish } = Promise.withResolvers<void>();
  let sequence = after;
  let turns = -1;
  let epoch = 0;
  let round = -1;
  let reading: Promise<void> | undefined;
  let again = false;
  let over = false;
  const waiting: TextDelta[] = [];

  // Listening comes before reading: what is appended in between is not missed.
  const leave = feed.listen(logs, { onAppend: () => void look(), onLive: (batch) => delta(batch as unknown as TextDelta) });
  const ping = setInterval(() => writer.comment("ping") || close(), config.SSE_PING_MS);
  const leaveStreams = place.onBye(() => {
    writer.event({ name: "bye", data: JSON.stringify({ reason: "the server is stopping; come back with the last event's id" }) });
    close();
  });
  request.raw.on("close", close);
  try {
    await look();
    for (const batch of over ? [] : await state.recent(logs.live)) delta(batch as unknown as TextDelta);
    await ended;
  } finally {
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

  /** Reads the log on; called while it is reading, it reads once more after that. */
  function look(): Promise<void> {
    again = true;
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  }

  async function read(): Promise<void> {
    try {
      while (again && !over) {
        again = false;
        await readPages();
        for (const held of waiting.splice(0)) delta(held);
      }
    } catch {
      // The store is away for a moment: the client comes back with its last id and misses nothing.
      close();
    }
  }

  async function readPages(): Promise<void> {
    for (;;) {
      const page = await state.range(logs.events, { after: sequence, limit: PAGE });
      for (const entry of page) {
        if (over) return;
        const event = entry.value as unknown as RunEvent;
        sequence = entry.sequence;
        if (event.type === "turn") turns = event.round;
        if (!writer.event({ id: eventId(runId, sequence), name: event.type, data: JSON.stringify({ sequence, ...event }) })) return close();
        if (isRunEnd(event)) return close();
      }
      if (page.length < PAGE) return;
    }
  }

  function delta(text: TextDelta): void {
    if (over || text.round <= turns || text.epoch < epoch) return;
    // It was written after durable events that this client has not seen yet.
    if (text.after > sequence) {
      waiting.push(text);
      return void look();
    }
    if (text.round === round && text.epoch > epoch) writer.event({ name: "reset", data: JSON.stringify({ type: "reset", epoch: text.epoch, round: text.round }) });
    ({ epoch, round } = text);
    if (!writer.event({ name: "delta", data: JSON.stringify(text) })) close();
  }
}

