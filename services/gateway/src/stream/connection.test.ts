import { connect, type Socket } from "node:net";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { completed, started, turn } from "../testing/agent-under-test.ts";
import { apiKeyOf, setup as setupGateway, until } from "../testing/gateway-under-test.ts";

describe("the connection of a stream", () => {
  it("has no chunks, and ends with the stream, for a client of HTTP/1.0", async () => {
    await using t = await setup();
    const client = t.asks("HTTP/1.0");
    await client.got("event: run.started");
    await t.agent.say(t.runId, completed);
    await client.ended;
    const [head = "", body = ""] = split(client.text());
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^connection: close$/im);
    expect(head).not.toMatch(/transfer-encoding|keep-alive/i);
    expect(body).toMatch(/^retry: 500\n\nid: \S+:1\nevent: run\.started\ndata: .+\n\nid: \S+:2\nevent: run\.completed\ndata: .+\n\n$/);
  });

  it("is closed after the stream for a client that asked for it", async () => {
    await using t = await setup();
    const client = t.asks("HTTP/1.1", ["Connection: close"]);
    await t.agent.say(t.runId, completed);
    await client.ended;
    expect(split(client.text())[0]).toMatch(/^connection: close$/im);
    expect(client.text()).toMatch(/0\r\n\r\n$/);
  });

  it("is kept for the next request of a client that did not", async () => {
    await using t = await setup();
    const client = t.asks("HTTP/1.1");
    await t.agent.say(t.runId, completed);
    await client.got("0\r\n\r\n");
    client.ask("HTTP/1.1", [`Last-Event-ID: ${t.runId}:2`, "Connection: close"]);
    await client.ended;
    expect(client.text()).toMatch(/\r\n\r\nHTTP\/1\.1 204 No Content\r\n/);
  });

  it("that a client has half closed is closed, and its place is free", async () => {
    await using t = await setup({ SSE_PER_PRINCIPAL: "1" });
    const client = t.asks("HTTP/1.1");
    await client.got("event: run.started");
    client.halfClose();
    await client.ended;
    await until(async () => (await t.view("una", t.runId).catch(() => null)) !== null);
  });

  it("passes every proxy at once and unchanged", async () => {
    await using t = await setup();
    const client = t.asks("HTTP/1.1", ["Accept-Encoding: gzip, br"]);
    await client.got("event: run.started");
    const [head = ""] = split(client.text());
    for (const line of ["Content-Type: text/event-stream; charset=utf-8", "Cache-Control: no-cache, no-transform", "X-Accel-Buffering: no"])
      expect(head.toLowerCase()).toContain(line.toLowerCase());
    expect(head).not.toMatch(/content-encoding|content-length/i);
  });
});

describe("a client that reconnects", () => {
  it("while the server stops gets a goodbye, not an error: after an error an EventSource would never reconnect", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reading, resolve: asked } = Promise.withResolvers<void>();
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      page: async (...about) => (asked(), await released, state.page(...about)),
    });
    await using t = await setup({}, wrapStore);
    const underWay = t.ask("una", "/v1/tools");
    await reading;
    const stopped = t.service.stop();
    const late = await t.ask("una", `/v1/runs/${t.runId}/events`, { headers: { accept: "text/event-stream" } });
    expect([late.status, late.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(late.text).toMatch(/^retry: \d+\nevent: bye\ndata: \{.+\}\n\n$/);
    release();
    expect((await underWay).status).toBe(200);
    await stopped;
  });

  it("from long ago gets everything since, each event once", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, ...Array.from({ length: 700 }, (_, round) => turn(round)), completed);
    const viewer = await t.view("una", t.runId, `${t.runId}:1`);
    await viewer.ended;
    expect(viewer.seen.map(({ id }) => id)).toEqual(Array.from({ length: 701 }, (_, i) => `${t.runId}:${i + 2}`));
  });

  it("after the run's end is told that it need not reconnect", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, completed);
    const answer = await t.ask("una", `/v1/runs/${t.runId}/events`, { headers: { "last-event-id": `${t.runId}:2` } });
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  it("may give its last event in the address, unless a header overrides it", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, turn(0), completed);
    const url = `/v1/runs/${t.runId}/events?lastEventId=${encodeURIComponent(`${t.runId}:1`)}`;
    expect(idsIn((await t.ask("una", url)).text)).toEqual([`${t.runId}:2`, `${t.runId}:3`]);
    expect(idsIn((await t.ask("una", url, { headers: { "last-event-id": `${t.runId}:2` } })).text)).toEqual([`${t.runId}:3`]);
    expect(await t.ask("una", `/v1/runs/${t.runId}/events?lastEventId=7`)).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
  });
});

/** Starts a gateway with one run that has begun, and clients that write their requests by hand. */
async function setup(env: Readonly<Record<string, string>> = {}, wrapStore?: (state: StateStore) => StateStore) {
  const t = await setupGateway({ env, ...(wrapStore ? { wrapStore } : {}) });
  const runId = await t.accepted();
  await t.agent.take(runId);
  await t.agent.say(runId, started);
  const sockets: Socket[] = [];
  return {
    ...t,
    runId,
    asks(version: "HTTP/1.0" | "HTTP/1.1", headers: readonly string[] = []) {
      const socket = connect({ port: Number(new URL(t.service.url).port), host: "127.0.0.1", allowHalfOpen: true }).setEncoding("utf8");
      sockets.push(socket);
      let text = "";
      socket.on("data", (more: string) => (text += more));
      const ended = new Promise<void>((resolve) => socket.once("end", resolve));
      const ask = (as: string, more: readonly string[]): void =>
        void socket.write(
          [`GET /v1/runs/${runId}/events ${as}`, "Host: toolbus", `Authorization: Bearer ${apiKeyOf("una")}`, ...more, "", ""].join("\r\n"),
        );
      ask(version, headers);
      return {
        ask,
        ended,
        text: () => text,
        halfClose: () => void socket.end(),
        got: (part: string) => until(() => text.includes(part)),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await t[Symbol.asyncDispose]();
    },
  };
}

function split(answer: string): readonly string[] {
  return answer.split("\r\n\r\n");
}

function idsIn(text: string): readonly string[] {
  return text.match(/(?<=^id: ).+$/gm) ?? [];
}
