import { describe, expect, it } from "vitest";
import { sendJson, sendProblem, serverUnderTest } from "../http/server-under-test.ts";
import { checkNode } from "./check-machine.ts";
import { checkClock, checkReady } from "./check-service.ts";
import { probe, type Probed } from "./probe.ts";

const never = new AbortController().signal;
const probed = (clockMs: number | null): Probed => ({ reachable: true, ready: true, reasons: [], ours: true, tookMs: 1, clockMs });

describe("doctor, of a service", () => {
  it("finds one that is ready", async () => {
    await using server = await serverUnderTest((_request, response) => sendJson(response, { status: "ready", reasons: [] }));
    const found = await probe("gateway", server.url, () => Date.now(), never);
    expect(checkReady("gateway", server.url, found)).toMatchObject({ level: "ok" });
    expect(found).toMatchObject({ ours: true, clockMs: expect.any(Number) });
  });

  it("tells the reasons of one that is not, in either form", async () => {
    await using plain = await serverUnderTest((_request, response) =>
      sendJson(response, { status: "unready", reasons: ["the store is away"] }, 503),
    );
    await using problem = await serverUnderTest((_request, response) =>
      sendProblem(response, 503, { code: "shutting_down", detail: "Not ready: stopping." }),
    );
    for (const [server, words] of [
      [plain, /not ready: the store is away\.$/],
      [problem, /not ready: Not ready: stopping\.$/],
    ] as const) {
      const found = await probe("gateway", server.url, () => 0, never);
      expect(checkReady("gateway", server.url, found)).toMatchObject({
        level: "fail",
        message: expect.stringMatching(words),
        fix: expect.any(String),
      });
    }
  });

  it("tells what is no Toolbus, and nobody at all, with what to do", async () => {
    const server = await serverUnderTest((_request, response) => response.end("<html>"));
    const other = await probe("gateway", server.url, () => 0, never);
    expect(checkReady("gateway", server.url, other)).toMatchObject({
      level: "fail",
      message: expect.stringMatching(/not as Toolbus does/),
    });
    await server[Symbol.asyncDispose]();
    const nobody = await probe("approvals", server.url, () => 0, never);
    expect(checkReady("approvals", server.url, nobody)).toEqual({
      name: "approvals",
      level: "fail",
      message: `Nothing listens at ${server.url}.`,
      fix: 'Start Toolbus with "toolbus start", or name the address of its approvals service with --approvals-url.',
    });
  });
});

describe("doctor, of this machine", () => {
  it.each([
    [0, "ok", /agrees/],
    [-4000, "ok", /agrees/],
    [90_000, "warn", /is 1 min behind the gateway's/],
    [-7_200_000, "warn", /is 2 h before the gateway's/],
    [null, "warn", /sends no time/],
  ] as const)("finds a clock that is %s ms off: %s", (clockMs, level, words) => {
    expect(checkClock(probed(clockMs))).toMatchObject({ level, message: expect.stringMatching(words) });
  });

  it("wants Node 24", () => {
    expect(checkNode("v24.21.0").level).toBe("ok");
    expect(checkNode("v25.0.0").level).toBe("ok");
    expect(checkNode("v22.1.0")).toMatchObject({ level: "fail", fix: expect.stringMatching(/Node 24/) });
  });
});
