import { keys } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { cancelled, completed, started, turn } from "../testing/agent-under-test.ts";
import { setup as setupGateway, until } from "../testing/gateway-under-test.ts";
import type { Viewer } from "../testing/viewer-under-test.ts";

const STORY = [started, turn(0), turn(1), turn(2), turn(3), completed];

describe("the stream of a run", () => {
  it("sends past and new events, with ids, and ends with the run", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started);
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "run.started");
    await t.agent.say(t.runId, turn(0), turn(1));
    await t.agent.say(t.runId, completed);
    await viewer.ended;
    expect(viewer.seen).toEqual(
      [started, turn(0), turn(1), completed].map((event, i) => ({
        id: `${t.runId}:${i + 1}`,
        name: event.type,
        data: { sequence: i + 1, ...event },
      })),
    );
  });

  it("has the right headers, also to keep proxies from buffering it", async () => {
    await using t = await setup();
    const { headers } = await t.view("una", t.runId);
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(headers.get("x-accel-buffering")).toBe("no");
  });

  it("waits for a run that no agent has taken yet", async () => {
    await using t = await setupGateway();
    const runId = await t.accepted();
    const viewer = await t.view("una", runId);
    await t.agent.take(runId);
    await t.agent.say(runId, started, completed);
    await viewer.ended;
    expect(names(viewer)).toEqual(["run.started", "run.completed"]);
  });

  it("gives exactly the rest to a client that reconnects, at every position, also after the end", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, ...STORY);
    for (let position = 0; position <= STORY.length; position++) {
      const viewer = await t.view("una", t.runId, `${t.runId}:${position}`);
      await viewer.ended;
      expect(sequences(viewer)).toEqual(STORY.map((_, i) => i + 1).slice(position));
    }
  });

  it("continues in the middle of a run for a client that reconnects", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started, turn(0), turn(1));
    const first = await t.view("una", t.runId);
    const { id } = await first.sees(({ name }) => name === "turn");
    first.leave();
    await t.agent.say(t.runId, turn(2));
    const second = await t.view("una", t.runId, id ?? "");
    await second.sees(({ data }) => data["round"] === 2);
    await t.agent.say(t.runId, cancelled);
    await second.ended;
    expect(sequences(second)).toEqual([3, 4, 5]);
  });

  it("sends a long history completely and in order", async () => {
    await using t = await setup();
    const rounds = Array.from({ length: 450 }, (_, round) => turn(round, "x".repeat(500)));
    await t.agent.say(t.runId, ...rounds, completed);
    const viewer = await t.view("una", t.runId);
    await viewer.ended;
    expect(sequences(viewer)).toEqual(Array.from({ length: 451 }, (_, i) => i + 1));
  });

  it("misses nothing and repeats nothing for viewers that come while events are written", async () => {
    await using t = await setup();
    const viewers: Viewer[] = [];
    const arriving: Promise<unknown>[] = [];
    for (let round = 0; round < 60; round++) {
      await t.agent.say(t.runId, turn(round));
      if (round % 6 === 0) arriving.push(t.view("una", t.runId).then((viewer) => viewers.push(viewer)));
      if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await t.agent.say(t.runId, completed);
    await Promise.all(arriving);
    await Promise.all(viewers.map(({ ended }) => ended));
    expect(viewers).toHaveLength(10);
    for (const viewer of viewers) expect(sequences(viewer)).toEqual(Array.from({ length: 61 }, (_, i) => i + 1));
  });

  it("shows several viewers the same, and one that leaves stops nothing", async () => {
    await using t = await setup();
    const [stays, leaves, operator] = [await t.view("una", t.runId), await t.view("una", t.runId), await t.view("otto", t.runId)];
    await t.agent.say(t.runId, started, turn(0));
    await Promise.all([stays, leaves, operator].map((viewer) => viewer.sees(({ name }) => name === "turn")));
    leaves.leave();
    await leaves.ended;
    await t.agent.live(t.runId, { epoch: 2, round: 1, offset: 0, after: 2, text: "so" });
    await Promise.all([stays, operator].map((viewer) => viewer.sees(({ name }) => name === "delta")));
    await t.agent.say(t.runId, turn(1), completed);
    await Promise.all([stays.ended, operator.ended]);
    expect(operator.seen).toEqual(stays.seen);
    expect(names(stays)).toEqual(["run.started", "turn", "delta", "turn", "run.completed"]);
    expect(names(leaves)).toEqual(["run.started", "turn"]);
    expect((await t.ask("una", `/v1/runs/${t.runId}`)).body["status"]).toBe("done");
  });

  it("keeps a silent line open with comments", async () => {
    await using t = await setup({ SSE_PING_MS: "10" });
    const viewer = await t.view("una", t.runId);
    await until(() => viewer.comments.length >= 2);
    expect(new Set(viewer.comments)).toEqual(new Set(["ping"]));
    expect(viewer.seen).toEqual([]);
  });

  it("says goodbye when the server stops, and has the rest for clients that reconnect", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started);
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "run.started");
    await t.service.stop();
    await viewer.ended;
    expect(names(viewer)).toEqual(["run.started", "bye"]);
    expect(viewer.seen.at(-1)?.id).toBeNull();
  });

  it("breaks off when the store is unavailable, and continues for a client that reconnects", async () => {
    let away = false;
    const wrapStore = (state: StateStore): StateStore => ({
      ...state,
      range: (...asked) => (away ? Promise.reject(new Error("away")) : state.range(...asked)),
    });
    await using t = await setup({}, wrapStore);
    await t.agent.say(t.runId, started);
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "run.started");
    away = true;
    await t.agent.say(t.runId, turn(0));
    await viewer.ended;
    away = false;
    const back = await t.view("una", t.runId, viewer.seen.at(-1)?.id ?? "");
    await back.sees(({ name }) => name === "turn");
    expect([sequences(viewer), sequences(back)]).toEqual([[1], [2]]);
  });
});

describe("the places for streams", () => {
  it("are limited for each principal, and free again when a viewer leaves", async () => {
    await using t = await setup({ SSE_PER_PRINCIPAL: "2" });
    const [first] = [await t.view("una", t.runId), await t.view("una", t.runId)];
    const refused = await t.ask("una", `/v1/runs/${t.runId}/events`);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited", status: 429 } });
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(refused.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    await t.view("otto", t.runId);

    first?.leave();
    await until(async () => (await t.view("una", t.runId).catch(() => null)) !== null);
    expect((await t.ask("una", `/v1/runs/${t.runId}/events`)).status).toBe(429);
  });

  it("are freed by streams that end normally", async () => {
    await using t = await setup({ SSE_PER_PRINCIPAL: "1" });
    await t.agent.say(t.runId, completed);
    for (let i = 0; i < 3; i++) {
      await until(async () => (await t.view("una", t.runId).catch(() => null)) !== null);
    }
  });
});

describe("live text in a stream", () => {
  it("comes without an id and makes way for the turn that it was part of", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started, turn(0));
    const viewer = await t.view("una", t.runId);
    await viewer.sees(({ name }) => name === "turn");
    await t.agent.live(t.runId, { epoch: 2, round: 1, offset: 0, after: 2, text: "Hel" });
    await t.agent.live(t.runId, { epoch: 2, round: 1, offset: 3, after: 2, text: "lo" });
    await viewer.sees(({ data }) => data["offset"] === 3);
    await t.agent.say(t.runId, turn(1, "Hello"));
    await t.agent.live(t.runId, { epoch: 2, round: 1, offset: 5, after: 2, text: " late" });
    await t.agent.say(t.runId, completed);
    await viewer.ended;
    expect(names(viewer)).toEqual(["run.started", "turn", "delta", "delta", "turn", "run.completed"]);
    expect(viewer.seen[2]).toEqual({
      id: null,
      name: "delta",
      data: { type: "delta", epoch: 2, round: 1, offset: 0, after: 2, text: "Hel" },
    });
  });

  it("is reset when another process writes the round again", async () => {
    await using t = await setup();
    const viewer = await t.view("una", t.runId);
    await t.agent.live(t.runId, { epoch: 1, round: 1, offset: 0, after: 0, text: "Tod" });
    await t.agent.live(t.runId, { epoch: 2, round: 1, offset: 0, after: 0, text: "Now" });
    await t.agent.live(t.runId, { epoch: 1, round: 1, offset: 3, after: 0, text: "ay" });
    await t.agent.say(t.runId, turn(1), completed);
    await viewer.ended;
    expect(viewer.seen.map(({ name, data }) => [name, data["epoch"] ?? null])).toEqual([
      ["delta", 1],
      ["reset", 2],
      ["delta", 2],
      ["turn", null],
      ["run.completed", null],
    ]);
  });

  it("is sent again, once and in order, to a late viewer, while more of it is written", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started);
    for (let offset = 0; offset < 20; offset++) await t.agent.live(t.runId, { epoch: 1, round: 1, offset, after: 1, text: "a" });
    const arriving = t.view("una", t.runId);
    for (let offset = 20; offset < 60; offset++) {
      await t.agent.live(t.runId, { epoch: 1, round: 1, offset, after: 1, text: "a" });
      if (offset % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const viewer = await arriving;
    await viewer.sees(({ data }) => data["offset"] === 59);
    expect(names(viewer)[0]).toBe("run.started");
    expect(viewer.seen.slice(1).map(({ data }) => data["offset"])).toEqual(Array.from({ length: 60 }, (_, i) => i));
  });

  it("that arrives while earlier text is read follows it", async () => {
    const { wrapStore, hold } = slow("recent");
    await using t = await setup({}, wrapStore);
    for (const offset of [0, 1, 2]) await t.agent.live(t.runId, { epoch: 1, round: 1, offset, after: 0, text: "a" });
    const release = hold();
    const viewer = await t.view("una", t.runId);
    for (const offset of [3, 4]) await t.agent.live(t.runId, { epoch: 1, round: 1, offset, after: 0, text: "a" });
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await viewer.sees(({ data }) => data["offset"] === 4);
    expect(viewer.seen.map(({ data }) => data["offset"])).toEqual([0, 1, 2, 3, 4]);
  });

  it("of a round whose turn a client has is not sent again when it reconnects", async () => {
    await using t = await setup();
    await t.agent.say(t.runId, started, turn(0));
    await t.agent.live(t.runId, { epoch: 1, round: 1, offset: 0, after: 2, text: "one" });
    await t.agent.say(t.runId, turn(1, "one"));
    await t.agent.live(t.runId, { epoch: 2, round: 2, offset: 0, after: 3, text: "two" });
    const viewer = await t.view("una", t.runId, `${t.runId}:3`);
    await viewer.sees(({ name }) => name === "delta");
    expect(viewer.seen.map(({ data }) => data["text"])).toEqual(["two"]);
  });

  it("waits for the event that it follows", async () => {
    const { wrapStore, hold } = slow("range");
    await using t = await setup({}, wrapStore);
    const viewer = await t.view("una", t.runId);
    const release = hold();
    await t.agent.say(t.runId, started);
    await t.agent.live(t.runId, { epoch: 1, round: 1, offset: 0, after: 1, text: "a" });
    release();
    await viewer.sees(({ name }) => name === "delta");
    expect(names(viewer)).toEqual(["run.started", "delta"]);
  });

  it("that follows an event which never comes is dropped, and so is invalid text, and the stream continues", async () => {
    await using t = await setup();
    const viewer = await t.view("una", t.runId);
    await t.agent.live(t.runId, { epoch: 1, round: 1, offset: 0, after: 1_000_000, text: "a" });
    for (const broken of [null, "text", [], { type: "delta" }]) await t.store.live(keys.live(t.runId), broken);
    await t.agent.say(t.runId, started, completed);
    await viewer.ended;
    expect(names(viewer)).toEqual(["run.started", "run.completed"]);
  });
});

/** Starts a gateway with one run that its agent has taken. */
async function setup(env: Readonly<Record<string, string>> = {}, wrapStore?: (state: StateStore) => StateStore) {
  const t = await setupGateway({ env, ...(wrapStore ? { wrapStore } : {}) });
  const runId = await t.accepted();
  await t.agent.take(runId);
  return { ...t, runId };
}

/** Returns a store that can delay reads of this kind. `hold()` returns a function. Between the two calls, no such read begins. */
function slow(kind: "range" | "recent") {
  const gate = { open: Promise.resolve() };
  const wrapStore = (state: StateStore): StateStore => ({
    ...state,
    range: async (...asked) => (kind === "range" ? await gate.open : undefined, state.range(...asked)),
    recent: async (...asked) => (kind === "recent" ? await gate.open : undefined, state.recent(...asked)),
  });
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate.open = promise;
    return resolve;
  };
  return { wrapStore, hold };
}

function names(viewer: Viewer): readonly string[] {
  return viewer.seen.map(({ name }) => name);
}

/** Returns the sequences of the durable events that a viewer received. */
function sequences(viewer: Viewer): readonly number[] {
  return viewer.seen.flatMap(({ id }) => (id === null ? [] : [Number(id.split(":")[1])]));
}
