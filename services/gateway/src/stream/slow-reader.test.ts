import { get, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { completed, turn } from "../testing/agent-under-test.ts";
import { apiKeyOf, setup, until } from "../testing/gateway-under-test.ts";

// Together, these events exceed the kernel's buffer for a connection on this machine.
const EVENTS = 480;
const EVENT_BYTES = 50_000;

describe("a viewer that does not read", () => {
  it("is disconnected, holds nobody else up, and gets the rest when it reconnects", async () => {
    await using t = await setup({ env: { SSE_PER_PRINCIPAL: "1", SSE_PING_MS: "5000" } });
    const runId = await t.accepted();
    await t.agent.take(runId);
    const stalled = await connect(`${t.service.url}/v1/runs/${runId}/events`);
    const reader = await t.view("otto", runId);
    for (let round = 0; round < EVENTS; round += 40) {
      await t.agent.say(runId, ...Array.from({ length: 40 }, (_, i) => turn(round + i, "x".repeat(EVENT_BYTES))));
    }
    await t.agent.say(runId, completed);
    await reader.ended;
    expect(reader.seen.map(({ id }) => id)).toEqual(Array.from({ length: EVENTS + 1 }, (_, i) => `${runId}:${i + 1}`));

    // The stalled viewer has the only place until the gateway disconnects the viewer. A loaded machine needs seconds for the events above.
    const late = `${runId}:${EVENTS}`;
    expect((await t.ask("una", `/v1/runs/${runId}/events`)).status).toBe(429);
    await until(async () => (await t.view("una", runId, late).catch(() => null)) !== null);

    const ids = (await textOf(stalled)).match(/(?<=^id: ).+$/gm) ?? [];
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(EVENTS);
    const back = await t.view("una", runId, ids.at(-1) ?? "");
    await back.ended;
    expect([...ids, ...back.seen.map(({ id }) => id)]).toEqual(reader.seen.map(({ id }) => id));
  });

  it("is disconnected when live text alone runs ahead of it", async () => {
    await using t = await setup({ env: { SSE_PER_PRINCIPAL: "1" } });
    const runId = await t.accepted();
    await t.agent.take(runId);
    const stalled = await connect(`${t.service.url}/v1/runs/${runId}/events`);
    for (let offset = 0; offset < EVENTS; offset++) {
      await t.agent.live(runId, { epoch: 1, round: 1, offset, after: 0, text: "x".repeat(EVENT_BYTES) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(async () => (await t.view("una", runId).catch(() => null)) !== null);
    expect(((await textOf(stalled)).match(/^event: delta$/gm) ?? []).length).toBeLessThan(EVENTS);
  });
});

describe("a viewer that reads", () => {
  it("is not disconnected for one event that is larger than its buffer", async () => {
    await using t = await setup({ env: { SSE_BUFFER_BYTES: "16384" } });
    const runId = await t.accepted();
    await t.agent.take(runId);
    const viewer = await t.view("una", runId);
    await t.agent.say(runId, turn(0, "x".repeat(60_000)), turn(1, "y".repeat(60_000)), completed);
    await viewer.ended;
    expect(viewer.seen.map(({ name }) => name)).toEqual(["turn", "turn", "run.completed"]);
  });
});

/** Asks for the stream and reads none of it. */
function connect(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${apiKeyOf("una")}`, accept: "text/event-stream" }, agent: false }, resolve).once(
      "error",
      reject,
    );
  });
}

/** Returns everything that arrived before the connection broke, without the block that was cut. */
async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  try {
    for await (const bytes of response.setEncoding("utf8")) text += bytes;
  } catch {
    // The connection broke, as it should.
  }
  return text.slice(0, text.lastIndexOf("\n\n"));
}
