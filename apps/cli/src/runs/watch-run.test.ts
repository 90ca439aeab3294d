import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { type StreamItem, watchRun } from "./watch-run.ts";

const RUN = "rn_00_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";
const LAST = 5;

/** Writes the run's events with the numbers `from` to `to`, as the gateway does. The event LAST is the run's end. */
function send(response: ServerResponse, from: number, to: number): void {
  for (let n = from; n <= to; n++) {
    const event = n === LAST ? { type: "run.completed", text: "done" } : { type: "run.queued", behind: String(n) };
    response.write(`id: ${RUN}:${n}\nevent: ${event.type}\ndata: ${JSON.stringify({ sequence: n, ...event })}\n\n`);
  }
}

const open = (response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 500\n\n");

function setup(url: string) {
  const seen: number[] = [];
  let lost = 0;
  const stop = new AbortController();
  const gateway = client({ url, service: "gateway", key: "k", signal: stop.signal });
  const watch = (patienceMs = 60_000) =>
    watchRun(gateway, RUN, {
      onItem: (item: StreamItem) => "sequence" in item && seen.push(item.sequence),
      onLost: () => lost++,
      signal: stop.signal,
      patienceMs,
    });
  return { watch, seen, stop, lost: () => lost };
}

describe("following a run", () => {
  it("ends with the run's last event", async () => {
    await using server = await serverUnderTest((_request, response) => (open(response), send(response, 1, LAST)));
    const { watch, seen, lost } = setup(server.url);
    expect(await watch()).toMatchObject({ type: "run.completed", text: "done" });
    expect([seen, lost()]).toEqual([[1, 2, 3, 4, 5], 0]);
  });

  it("reconnects with the last event's id after every cut, misses nothing, repeats nothing, and reports each cut once", async () => {
    await using server = await serverUnderTest((request, response) => {
      const from = Number(/:(\d+)$/.exec(String(request.headers["last-event-id"] ?? ":0"))?.[1]) + 1;
      open(response);
      send(response, from, from);
      if (from < LAST) setImmediate(() => response.socket?.destroySoon());
    });
    const { watch, seen, lost } = setup(server.url);
    await watch();
    expect([seen, lost()]).toEqual([[1, 2, 3, 4, 5], 4]);
    expect(server.requests.map((request) => request.headers["last-event-id"])).toEqual([
      undefined,
      ...[1, 2, 3, 4].map((n) => `${RUN}:${n}`),
    ]);
  });

  it("says that the store lost the run if its events were there before, and only then", async () => {
    let requests = 0;
    await using server = await serverUnderTest((_request, response) => {
      if (++requests > 1) return sendProblem(response, 404, { code: "not_found", detail: "There is no run.", remedy: "Use its id." });
      open(response);
      send(response, 1, 1);
      setImmediate(() => response.socket?.destroySoon());
    });
    const { watch } = setup(server.url);
    await expect(watch()).rejects.toThrow(
      /^Toolbus no longer has the run rn_\S+: its state store was emptied, .* Writes of the run may have happened/,
    );
    await expect(watch()).rejects.toThrow("There is no run. Use its id.");
  });

  it("reports an outage once, however often it tries", async () => {
    let n = 0;
    await using server = await serverUnderTest((_request, response) => {
      n++;
      if (n === 1) return (open(response), send(response, 1, 2), void response.end());
      if (n < 4) return sendProblem(response, 503, { code: "shutting_down", detail: "The server is stopping." });
      open(response);
      send(response, 3, LAST);
    });
    const { watch, seen, lost } = setup(server.url);
    await watch();
    expect([seen, lost(), n]).toEqual([[1, 2, 3, 4, 5], 1, 4]);
  });

  it("gives up when the server does not come back in time", async () => {
    const server = await serverUnderTest((_request, response) => {
      open(response);
      send(response, 1, 1);
      setImmediate(() => void server[Symbol.asyncDispose]());
    });
    await expect(setup(server.url).watch(0)).rejects.toMatchObject({ exitCode: 3 });
  });

  it("does not wait for a server that was never there", async () => {
    const server = await serverUnderTest(() => undefined);
    await server[Symbol.asyncDispose]();
    const { watch, lost } = setup(server.url);
    await expect(watch()).rejects.toMatchObject({ exitCode: 3 });
    expect(lost()).toBe(0);
  });

  it("ends at once on a refusal", async () => {
    await using server = await serverUnderTest((_request, response) =>
      sendProblem(response, 404, { code: "not_found", detail: "There is no run." }),
    );
    await expect(setup(server.url).watch()).rejects.toMatchObject({ exitCode: 5, message: "There is no run." });
  });

  it("ends with the signal's reason, also while it waits to reconnect", async () => {
    const reason = new Error("Interrupted.");
    await using server = await serverUnderTest((_request, response) => {
      open(response);
      response.end();
      stop.abort(reason);
    });
    const { watch, stop } = setup(server.url);
    await expect(watch()).rejects.toBe(reason);
  });

  it("passes on an error of the listener instead of trying again", async () => {
    await using server = await serverUnderTest((_request, response) => (open(response), send(response, 1, LAST)));
    const gateway = client({ url: server.url, service: "gateway", key: "k" });
    const fault = new Error("a fault");
    const watched = watchRun(gateway, RUN, {
      signal: new AbortController().signal,
      onItem() {
        throw fault;
      },
    });
    await expect(watched).rejects.toBe(fault);
    expect(server.requests).toHaveLength(1);
  });
});
