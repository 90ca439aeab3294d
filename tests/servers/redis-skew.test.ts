import { randomUUID } from "node:crypto";
import { runServices } from "@toolbus/runtime";
import { serveToolset, toolset } from "@toolbus/tool-kit";
import { describeOnServer, freePort } from "@toolbus/testing/servers";
import { expect, it, onTestFinished, vi } from "vitest";
import { redisSpace } from "./redis-space.ts";

const SKEW_MS = 1500;

describeOnServer("redis", "a process whose clock is 1.5 s ahead of its store's", (server) => {
  const space = redisSpace(server);

  it.each([
    { limit: "1000", warnings: [expect.stringMatching(/^this machine's clock is 1\.\d s ahead of the state store's/)] },
    { limit: "", warnings: undefined },
  ])("warns as CLOCK_SKEW_WARN_MS=$limit says, and is ready", async ({ limit, warnings }) => {
    shiftThisClock();
    const port = await freePort();
    const running = await runServices([], {
      env: {
        BUS_URL: "memory:",
        STATE_URL: space.urlOf(randomUUID()),
        HEALTH_PORT: String(port),
        LOG_LEVEL: "silent",
        CLOCK_SKEW_WARN_MS: limit,
      },
    });
    onTestFinished(async () => void (await running.stop()));
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([answer.status, ((await answer.json()) as { readonly warnings?: readonly string[] }).warnings]).toEqual([200, warnings]);
  });

  it.each([
    { limit: 1000, reported: true },
    { limit: undefined, reported: false },
  ])("warns in a separate worker as clockSkewWarnMs: $limit says", async ({ limit, reported }) => {
    shiftThisClock();
    const lines = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => lines.mockRestore());
    const worker = await serveToolset(toolset({ name: "idle", tools: [] }), {
      busUrl: "memory:",
      stateUrl: space.urlOf(randomUUID()),
      jwksUrl: "http://127.0.0.1:1/none",
      ...(limit === undefined ? {} : { clockSkewWarnMs: limit }),
    });
    await worker.stop();
    expect(lines.mock.calls.some(([line]) => /Clocks do not agree: this machine's clock is 1\.\d s ahead/.test(String(line)))).toBe(
      reported,
    );
  });
});

function shiftThisClock(): void {
  const real = Date.now.bind(Date);
  const shifted = vi.spyOn(Date, "now").mockImplementation(() => real() + SKEW_MS);
  onTestFinished(() => shifted.mockRestore());
}
