import { AnyLiveEvent, describeProblems, type JsonObject, NumberedRunEvent, parser } from "@toolbus/contracts";

/** One block of a stream, as a browser would read it. */
export interface Seen {
  /** The event's id, or null if the event is not durable. */
  readonly id: string | null;
  /** The event's name, or "comment" for a comment line. */
  readonly name: string;
  readonly data: JsonObject;
}

/** A client that watches a run over HTTP. */
export interface Viewer {
  readonly headers: Headers;
  /** All events so far, without comments. */
  readonly seen: readonly Seen[];
  readonly comments: readonly string[];
  /** The events that the API's description does not promise, with one sentence for each. */
  readonly undocumented: readonly string[];
  /** Resolves when the viewer has seen a matching event. Rejects if the stream ends before that. */
  sees(wanted: (seen: Seen) => boolean): Promise<Seen>;
  /** Resolves when the stream has ended for any reason. */
  readonly ended: Promise<void>;
  /** Disconnects abruptly. */
  leave(): void;
}

/** The body of a POST that opens a stream. */
export interface Posted {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** Opens a stream of server-sent events and reads it to its end. Throws if the server refuses it. */
export async function openViewer(url: string, apiKey: string, after?: string, posted?: Posted): Promise<Viewer> {
  const gone = new AbortController();
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: "text/event-stream",
    ...(after === undefined ? {} : { "last-event-id": after }),
    ...(posted === undefined ? {} : { "content-type": "application/json", ...posted.headers }),
  };
  const post = posted === undefined ? {} : { method: "POST", body: JSON.stringify(posted.body) };
  const response = await fetch(url, { ...post, headers, signal: gone.signal });
  // The client already has the run's end, and no event follows it.
  const nothing = response.status === 204;
  if (!nothing && (response.status !== 200 || !response.body))
    throw new Error(`The stream was answered ${response.status}: ${await response.text()}`);
  const seen: Seen[] = [];
  const comments: string[] = [];
  const undocumented: string[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const ended = readAll(response.body ?? new ReadableStream({ start: (empty) => empty.close() }))
    // A broken connection ends the stream like any other end.
    .catch(() => undefined)
    .then(() => {
      over = true;
      changed();
    });

  return {
    headers: response.headers,
    seen,
    comments,
    undocumented,
    ended,
    leave: () => gone.abort(),
    sees: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = seen.find(wanted);
          if (found) resolve(found);
          else if (over) reject(new Error(`The stream ended after ${seen.map(({ name }) => name).join(", ")}.`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };

  async function readAll(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) take(block);
      changed();
    }
  }

  function take(block: string): void {
    if (block.startsWith(": ")) comments.push(block.slice(2));
    const name = /^event: (.+)$/m.exec(block)?.[1];
    const data = /^data: (.+)$/m.exec(block)?.[1];
    if (!name || !data) return;
    const item = { id: /^id: (.+)$/m.exec(block)?.[1] ?? null, name, data: JSON.parse(data) };
    seen.push(item);
    undocumented.push(...faultsOf(item));
  }

  function changed(): void {
    for (const look of waiting) look();
  }
}

const parseDurable = parser(NumberedRunEvent);
const parseLive = parser(AnyLiveEvent);

/** Returns what is wrong with an event. An event with an id is durable. */
function faultsOf({ id, name, data }: Seen): string[] {
  const parsed = id === null ? parseLive(data) : parseDurable(data);
  if (!parsed.ok) return [`${describeProblems(parsed.problems)} ${JSON.stringify(data)}`];
  return parsed.value.type === name ? [] : [`the event is named ${name}, and says of itself that it is ${parsed.value.type}`];
}
