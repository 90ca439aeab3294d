import { setTimeout as after } from "node:timers/promises";
import {
  type ArgumentsDelta,
  isRunEnd,
  type RunEnd,
  type RunEvent,
  type TextDelta,
  type TextReset,
  type ToolProgressed,
} from "@toolbus/contracts";
import { createParser } from "eventsource-parser";
import { Answered, type Client, Unreachable } from "../http/client.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** An item of a stream: a durable event with its number, or a live one. A newer server may send more kinds, which a viewer skips. */
export type StreamItem = (RunEvent & { readonly sequence: number }) | TextDelta | ArgumentsDelta | TextReset | ToolProgressed;

export interface WatchOptions {
  readonly onItem: (item: StreamItem) => void;
  /** Called when the connection breaks. It is called only once until a new event arrives, even if several retries fail. */
  readonly onLost?: () => void;
  /** Aborts to stop the following. The run continues. */
  readonly signal: AbortSignal;
  /** How long the client retries a lost connection. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;
// If the server sends nothing for this long, the client treats the connection as lost. The gateway sends a comment line every 15 s.
const SILENCE_MS = 50_000;

/**
 * Follows a run to its end. If the connection breaks, it reconnects with the last event's id and misses no event. Rejects with the client's Failure
 * if the server was never reachable or does not return in time, and with the signal's reason when it aborts.
 */
export async function watchRun(gateway: Client, runId: string, options: WatchOptions): Promise<RunEnd> {
  const { onItem, onLost, signal, patienceMs = PATIENCE_MS } = options;
  let lastId = "";
  /** The last time at which the server sent data. Null before the first data. */
  let contactAt: number | null = null;
  let reported = false;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    try {
      const end = await readStream();
      if (end) return end;
    } catch (error) {
      signal.throwIfAborted();
      if (lastId !== "" && error instanceof Answered && error.status === 404) throw new Failure(EXIT.failed, vanished(runId));
      const away = error instanceof Unreachable || (error instanceof Answered && error.status >= 500);
      if (!away || contactAt === null || performance.now() - contactAt > patienceMs) throw error;
    }
    if (!reported) onLost?.();
    reported = true;
    await after(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  async function readStream(): Promise<RunEnd | null> {
    const silent = new AbortController();
    const silence = setTimeout(() => silent.abort(new Error("The stream fell silent.")), SILENCE_MS);
    try {
      const headers = { accept: "text/event-stream", ...(lastId === "" ? {} : { "last-event-id": lastId }) };
      const response = await gateway.open(`/v1/runs/${runId}/events`, headers, AbortSignal.any([signal, silent.signal]));
      let end: RunEnd | null = null;
      const parser = createParser({
        onEvent({ event, id, data }) {
          if (event === "bye" || end) return;
          reported = false;
          pauseMs = FIRST_PAUSE_MS;
          if (id) lastId = id;
          const item = JSON.parse(data) as StreamItem;
          onItem(item);
          if (isRunEnd(item)) end = item;
        },
      });
      for await (const text of textOf(response)) {
        contactAt = performance.now();
        silence.refresh();
        parser.feed(text);
        if (end) return end;
      }
      return end;
    } finally {
      clearTimeout(silence);
      // Abort the request, because nobody reads the rest of its answer.
      silent.abort();
    }
  }
}

/** Says that the store has lost a run whose events were read before, so that its id and the key cannot be wrong. */
function vanished(runId: string): string {
  return `Toolbus no longer has the run ${runId}: its state store was emptied, or an older copy was restored. Writes of the run may have happened, so look at their targets before you ask again.`;
}

/** Yields the body as text. Throws `Unreachable` if the connection breaks, so that the caller can distinguish this from an error in the parser. */
async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const chunks = (response.body ?? new ReadableStream<Uint8Array>()).values();
  for (;;) {
    let next: IteratorResult<Uint8Array, unknown>;
    try {
      next = await chunks.next();
    } catch (error) {
      throw new Unreachable(`The connection to ${new URL(response.url).origin} was lost: check whether Toolbus still runs there.`, error);
    }
    if (next.done) return;
    yield decoder.decode(next.value, { stream: true });
  }
}
