import { AnyLiveEvent, describeProblems, type JsonObject, NumberedRunEvent, parser } from "@toolbus/contracts";

/** One event as it was sent over the wire. */
export interface Seen {
  /** Null for events that are not durable. */
  readonly id: string | null;
  readonly data: JsonObject;
}

/** A stream that a test watches. */
export interface WatchedStream {
  readonly seen: readonly Seen[];
  /** The events that `next` has returned, in this order. */
  readonly awaited: readonly Seen[];
  /** Resolves with the first event of this type that no earlier wait returned. Rejects if the stream ends before that event. */
  next(type: string): Promise<Seen>;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
}

const DEADLINE_MS = 60_000;
const parseDurable = parser(NumberedRunEvent);
const parseLive = parser(AnyLiveEvent);

/** Watches the stream of a run, or opens a stream by a POST of this body. Throws for an event that the API's description does not contain. */
export async function watchStream(url: string, key: string, body?: JsonObject): Promise<WatchedStream> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, accept: "text/event-stream", ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (!response.ok || !response.body) throw new Error(`The stream was answered ${response.status}: ${await response.text()}`);
  const seen: Seen[] = [];
  const awaited: Seen[] = [];
  let read = 0;
  let over = false;
  let changed = Promise.withResolvers<void>();
  const ended = readAll(response.body).finally(() => {
    over = true;
    changed.resolve();
  });
  // A caller of `next` receives the error of a broken stream there.
  ended.catch(() => undefined);
  return {
    seen,
    awaited,
    ended,
    async next(type) {
      for (;;) {
        for (const one of seen.slice(read)) {
          read++;
          if (one.data["type"] !== type) continue;
          awaited.push(one);
          return one;
        }
        if (over) {
          await ended;
          throw new Error(`The stream ended without ${type}, after ${seen.map(({ data }) => JSON.stringify(data["type"])).join(", ")}.`);
        }
        await changed.promise;
      }
    },
  };

  async function readAll(stream: ReadableStream<Uint8Array>): Promise<void> {
    let text = "";
    for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + piece).split("\n\n");
      text = blocks.pop() ?? "";
      seen.push(...blocks.flatMap(eventIn));
      changed.resolve();
      changed = Promise.withResolvers();
    }
  }
}

function eventIn(block: string): Seen[] {
  const json = /^data: (.+)$/m.exec(block)?.[1];
  if (json === undefined) return [];
  const data: JsonObject = JSON.parse(json);
  const id = /^id: (.+)$/m.exec(block)?.[1] ?? null;
  const parsed = id === null ? parseLive(data) : parseDurable(data);
  if (!parsed.ok) throw new Error(`The API's description has no such event: ${describeProblems(parsed.problems)} ${json}`);
  return [{ id, data }];
}
