import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Refusal, readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { setup, until } from "./testing/gateway-under-test.ts";
import { gateway } from "./index.ts";

describe("the gateway service", () => {
  it("starts, reports its address, and stops however often it is asked to", async () => {
    await using t = await setup();
    expect(t.service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(t.service.unready()).toEqual([]);
    const stops = [t.service.stop(), t.service.stop()];
    expect(t.service.unready()).toEqual(["stopping"]);
    await Promise.all(stops);
    await t.service.stop();
    await expect(fetch(`${t.service.url}/healthz`)).rejects.toThrow(/fetch failed/);
  });

  it("becomes unready first when it stops, then finishes active requests and accepts no new ones", async () => {
    const { wrapStore, reading, release } = heldBack();
    await using t = await setup({ wrapStore });
    const underWay = t.ask("una", "/v1/tools");
    await reading;
    const stopped = t.service.stop();
    const late = t.ask("una", "/v1/tools");
    expect(await t.ask(null, "/readyz")).toMatchObject({ status: 503, body: { status: "unready", reasons: ["stopping"] } });
    expect((await t.ask(null, "/healthz")).status).toBe(200);
    expect(await late).toMatchObject({ status: 503, body: { code: "shutting_down" } });
    release();
    expect(await underWay).toMatchObject({ status: 200, body: { tools: [] } });
    await stopped;
  });

  it("continues work where another process left it", async () => {
    await using t = await setup();
    const runId = await t.accepted();
    await t.service.stop();
    const again = await t.start();
    t.clock.now += 5000;
    await until(() => t.wakes.length === 2);
    expect(t.wakes.map(({ attributes }) => attributes["toolbus-entry"])).toEqual([runId, runId]);
    await again.stop();
  });

  it("is refused with a sentence when its port is taken, and leaves nothing running", async () => {
    await using t = await setup();
    const port = new URL(t.service.url).port;
    await expect(t.start({ GATEWAY_PORT: port })).rejects.toThrow(
      new Refusal(
        `Port ${port} on 127.0.0.1 is taken by another process, so gateway cannot start: stop that process or choose another port with GATEWAY_PORT.`,
      ),
    );
    await t.service.stop();
    const next = await t.start({ GATEWAY_PORT: port });
    await next.stop();
  });

  it("is refused with a sentence without a file of keys that it can use", async () => {
    await using t = await setup();
    const file = path.join(t.folder, "other.json");
    await expect(t.start({ GATEWAY_API_KEYS_FILE: file })).rejects.toThrow(/^The file of API keys .*other\.json cannot be read \(ENOENT\)/);
    await writeFile(file, '[{"id": "una"}]');
    await expect(t.start({ GATEWAY_API_KEYS_FILE: file })).rejects.toThrow(
      /^The file of API keys .*other\.json is not valid: .*sha256 is required/,
    );
  });

  it("has settings that suit a separate process", () => {
    expect(readSettings(gateway.settings, {})).toEqual({
      GATEWAY_HOST: "127.0.0.1",
      GATEWAY_PORT: 8080,
      GATEWAY_API_KEYS_FILE: ".toolbus/keys/gateway-api-keys.json",
      GATEWAY_KEY_FILE: "",
      AGENT_NAME: "default",
      ORIGIN_OPEN_MS: 172_800_000,
      WAKE_REPEAT_MS: 5000,
      SSE_PING_MS: 15_000,
      SSE_BUFFER_BYTES: 262_144,
      STREAM_TICKET_MS: 3_600_000,
      SSE_PER_PRINCIPAL: 10,
      RUNS_PER_PRINCIPAL: 200,
      RUNS_PER_MINUTE: 60,
      CONVERSATIONS_PER_MINUTE: 60,
      ACTIONS_PER_MINUTE: 60,
      HTTPS_ONLY: "false",
      CORS_ORIGINS: "",
      AUTH_FAILURES_PER_MINUTE: 10,
      OUTBOX_VISIBILITY_MS: 4000,
      POLL_MS: 250,
      MCP_WAIT_MS: 25_000,
      MCP_HOSTS: "",
    });
  });
});

/** Returns a store whose indexes answer only after `release`. `reading` resolves at the first request. */
function heldBack() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: reading, resolve: asked } = Promise.withResolvers<void>();
  const wrapStore = (state: StateStore): StateStore => ({
    ...state,
    async page(...about) {
      asked();
      await released;
      return state.page(...about);
    },
  });
  return { wrapStore, reading, release };
}
