import { EventEmitter } from "node:events";
import { HttpProblem, type Route } from "@toolbus/runtime";
import { StoreUnavailable } from "@toolbus/state";
import { oneWay, type Wire } from "../ports/wire.ts";
import type { Served } from "./http-door.ts";
import { REQUESTER } from "./persons.ts";

/** An event as a client of a stream reads it. Only durable events have an id. */
export interface StreamedEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

export interface WatchOptions {
  readonly served: readonly Served[];
  readonly runId: string;
  /** The last durable event that the client has, or null for none. */
  readonly lastEventId: string | null;
  /** When the client disconnects, or null for a client that stays. */
  readonly cutAfterMs: number | null;
  readonly onEvent: (event: StreamedEvent) => void;
  /** Invoked for a fault of the server. */
  readonly onFault: (what: string) => void;
}

/** How a connection ended: the stream is complete ("over"), or the connection was lost ("gone"). */
export type WatchEnd = "over" | "gone";

/** A client disconnects if it has received nothing for two pings of the gateway. */
const SILENT_MS = 35_000;

/**
 * Watches a run over one connection. The simulator has no real HTTP: the data that the handler writes arrives in order, some time later, until either
 * side has disconnected.
 */
export function watchOver(wire: Wire, options: WatchOptions): Promise<WatchEnd> {
  const { clockwork, faults, random } = wire;
  const { served, runId, lastEventId, cutAfterMs, onEvent, onFault } = options;
  const { promise, resolve } = Promise.withResolvers<WatchEnd>();
  const alive = served.filter(({ process }) => process.alive);
  if (alive.length === 0 || faults.hit("lost_request")) {
    clockwork.schedule(null, SILENT_MS, "viewer: no answer", () => resolve("gone"));
    return promise;
  }
  const { process, routes } = random.pick(alive);
  let open = true;
  let due = 0;
  let silence = startSilence();
  const response = streamedResponse({
    write: (text, sent) =>
      arrive(() => {
        for (const event of eventsIn(text)) onEvent(event);
        process.after(0, `${process.name}: what a viewer was sent is gone`, sent);
      }),
    end: () => arrive(() => close("gone")),
  });
  process.onKill(() => arrive(() => close("gone")));
  process.after(oneWay(wire), `${process.name}: GET /v1/runs/${runId}/events after ${lastEventId?.split(":").at(-1) ?? 0}`, () => {
    void handled(routes, response, options).then((answer) => {
      if (answer === "streamed") return;
      arrive(() => {
        if (answer !== "over" && answer !== "not now") onFault(answer);
        close(answer === "over" ? "over" : "gone");
      });
    });
  });
  if (cutAfterMs !== null) clockwork.schedule(null, cutAfterMs, "viewer: hangs up", hangUp);
  return promise;

  function startSilence(): () => void {
    return clockwork.schedule(null, SILENT_MS, "viewer: hears nothing", hangUp);
  }

  function hangUp(): void {
    if (!open) return;
    close("gone");
    process.after(oneWay(wire), `${process.name}: a viewer is gone`, () => response.destroy());
  }

  function close(end: WatchEnd): void {
    open = false;
    silence();
    resolve(end);
  }

  function arrive(task: () => void): void {
    due = Math.max(due, clockwork.now + oneWay(wire));
    clockwork.schedule(null, due - clockwork.now, `viewer of ${runId}: hears`, () => {
      if (!open) return;
      silence();
      silence = startSilence();
      task();
    });
  }
}

/** Calls the handler that the server would call, and resolves when its stream is over. The data that the stream wrote arrives separately. */
async function handled(routes: readonly Route[], response: StreamedResponse, { runId, lastEventId }: WatchOptions): Promise<string> {
  const route = routes.find(({ method, url }) => method === "GET" && url === "/v1/runs/:id/events");
  if (!route) return "There is no route for the stream of a run.";
  let status = 200;
  const reply = {
    raw: response,
    hijack: () => undefined,
    getHeaders: () => ({}),
    code: (given: number) => ((status = given), reply),
    send: () => undefined,
  };
  // The handler uses only these fields of a request and of a reply. A handler that used another field would fail here at once.
  const request = { params: { id: runId }, query: {}, headers: lastEventId === null ? {} : { "last-event-id": lastEventId } };
  try {
    await route.handle(request as unknown as Parameters<Route["handle"]>[0], reply as unknown as Parameters<Route["handle"]>[1], REQUESTER);
    return status === 204 ? "over" : "streamed";
  } catch (error) {
    if (error instanceof StoreUnavailable || (error instanceof HttpProblem && error.status >= 429)) return "not now";
    return `a stream was refused: ${error instanceof Error ? error.message : String(error)}`;
  }
}

type StreamedResponse = ReturnType<typeof streamedResponse>;

/** Makes the part of a `ServerResponse` that a stream uses. */
function streamedResponse(client: { readonly write: (text: string, sent: () => void) => void; readonly end: () => void }) {
  const events = new EventEmitter();
  const response = Object.assign(events, {
    writableLength: 0,
    destroyed: false,
    writableEnded: false,
    writeHead: () => response,
    write(bytes: Buffer | string, sent: () => void): boolean {
      const { length } = bytes;
      response.writableLength += length;
      client.write(String(bytes), () => {
        response.writableLength -= length;
        sent();
      });
      return true;
    },
    end(): void {
      if (response.writableEnded) return;
      response.writableEnded = true;
      client.end();
    },
    destroy(): void {
      if (response.destroyed) return;
      response.destroyed = true;
      events.emit("close");
    },
  });
  return response;
}

function eventsIn(text: string): readonly StreamedEvent[] {
  return text.split("\n\n").flatMap((block) => {
    const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
    const [type, data] = [fields.get("event"), fields.get("data")];
    return type === undefined || data === undefined ? [] : [{ id: fields.get("id") ?? null, type, data }];
  });
}
