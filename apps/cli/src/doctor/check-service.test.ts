import { describe, expect, it } from "vitest";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { checkNode } from "./check-machine.ts";
import { checkClock, checkReady, checkWarnings } from "./check-service.ts";
import { probe, type Probed } from "./probe.ts";

const never = new AbortController().signal;
const probed = (clockMs: number | null): Probed => ({
  reachable: true,
  ready: true,
  reasons: [],
  warnings: [],
  ours: true,
  tookMs: 1,
  clockMs,
});

describe("doctor, checking a service", () => {
  it("accepts a service that is ready", async () => {
    await using server = await serverUnderTest((_request, response) => sendJson(response, { status: "ready", reasons: [] }));
    const found = await probe("gateway", server.url, () => Date.now(), never);
    expect(checkReady("gateway", server.url, found)).toMatchObject({ level: "ok" });
    expect(found).toMatchObject({ ours: true, clockMs: expect.any(Number) });
  });

  it("reports why a service is not ready, in either form", async () => {
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

  it.each([
    ["memory", /maxmemory/],
    ["disk", /Make room/],
    ["replicas", /Start the replicas/],
    ["read-only", /primary/],
    ["refused", /permissions --set-up/],
    ["damaged", /log names/],
  ])("says how to fix a store that accepts no changes: %s", (fault, remedy) => {
    const found = checkReady("gateway", "http://gateway", {
      ...probed(0),
      ready: false,
      reasons: [`the state store accepts no changes: ${fault}`],
    });
    expect(found).toMatchObject({ level: "fail", fix: expect.stringMatching(remedy) });
    expect(found).toMatchObject({ fix: expect.stringContaining("docs/deployment.md") });
  });

  it.each(["NATS", "RabbitMQ"])("says how to get back to a broker that is down: %s", (broker) => {
    const found = checkReady("gateway", "http://gateway", { ...probed(0), ready: false, reasons: [`the connection to ${broker} is down`] });
    expect(found).toMatchObject({
      level: "fail",
      fix: expect.stringMatching(/^Check that the broker runs and accepts .*BUS_URL.* by itself/),
    });
  });

  it("reports that clocks disagree, as a ready service says, with what to do", async () => {
    const sentence = "this machine's clock is 2.0 h ahead of the state store's: set both by NTP";
    await using server = await serverUnderTest((_request, response) =>
      sendJson(response, {
        status: "ready",
        reasons: [],
        warnings: [sentence, "the clock of the state store's server was set back by 1.0 h"],
      }),
    );
    const found = await probe("approvals", server.url, () => 0, never);
    expect(checkReady("approvals", server.url, found)).toMatchObject({ level: "ok" });
    expect(found.reachable && checkWarnings("approvals", server.url, found)).toEqual([
      {
        name: "clock",
        level: "fail",
        message: "Approvals says: its machine's clock is 2.0 h ahead of the state store's.",
        fix: "Set both by NTP.",
      },
      expect.objectContaining({ level: "fail", fix: expect.stringContaining("docs/operations.md") }),
    ]);
    const [ofWorker] = found.reachable ? checkWarnings("health", "http://worker:9000", found) : [];
    expect(ofWorker).toMatchObject({
      message: "The service at http://worker:9000 says: its machine's clock is 2.0 h ahead of the state store's.",
    });
  });

  it("fails when a ready service says that its file of API keys cannot be used", () => {
    const sentence = "The file of API keys was changed and cannot be used, so the former keys stay valid: correct it";
    expect(checkWarnings("gateway", "http://gateway", { ...probed(0), warnings: [sentence] })).toEqual([
      {
        name: "API keys",
        level: "fail",
        message: "The file of API keys was changed and cannot be used, so the former keys stay valid.",
        fix: "Correct it.",
      },
    ]);
  });

  it("fails when a ready service says that its broker accepts no messages, with what to do", async () => {
    const sentence = "RabbitMQ is short of memory or disk and accepts no messages: make room on its disk";
    const found = { ...probed(0), warnings: [sentence] };
    expect(checkWarnings("gateway", "http://gateway", found)).toEqual([
      {
        name: "broker",
        level: "fail",
        message: "RabbitMQ is short of memory or disk and accepts no messages.",
        fix: "Make room on its disk.",
      },
    ]);
  });

  it("fails when approvals cannot use its policy file, and warns of names in it that are not registered, with what to do", async () => {
    const broken =
      'The policy file cannot be used, so the policy before is still in use: run "toolbus policy check FILE", which names each fault and its line.';
    const unknown = "The policy has 2 names of tools or toolsets that are not registered: correct them, or start their workers.";
    expect(checkWarnings("approvals", "http://approvals", { ...probed(0), warnings: [broken, unknown] })).toEqual([
      {
        name: "policy",
        level: "fail",
        message: "The policy file cannot be used, so the policy before is still in use.",
        fix: expect.stringMatching(
          /^".*toolbus policy check FILE" names each fault and its line, for the file of APPROVAL_POLICY_FILE\./,
        ) as string,
      },
      {
        name: "policy",
        level: "warn",
        message: "The policy has 2 names of tools or toolsets that are not registered.",
        fix: "Correct them, or start their workers.",
      },
    ]);
  });

  it("reports for the health port of an agent or a worker that it is not ready or unreachable, and names the flag it came from", async () => {
    const server = await serverUnderTest((_request, response) =>
      sendJson(response, { status: "unready", reasons: ["the state store accepts no changes: memory"] }, 503),
    );
    const found = await probe("health", server.url, () => 0, never);
    expect(checkReady("health", server.url, found)).toMatchObject({
      name: "health",
      level: "fail",
      fix: expect.stringMatching(/maxmemory/),
    });
    await server[Symbol.asyncDispose]();
    const gone = checkReady("health", server.url, await probe("health", server.url, () => 0, never));
    expect(gone).toMatchObject({
      level: "fail",
      message: expect.stringMatching(/^Nothing listens at /),
      fix: expect.stringContaining("--health"),
    });
  });

  it("reports a server that is not Toolbus, and an unreachable one, with what to do", async () => {
    const server = await serverUnderTest((_request, response) => response.end("<html>"));
    const other = await probe("gateway", server.url, () => 0, never);
    expect(checkReady("gateway", server.url, other)).toMatchObject({
      level: "fail",
      message: expect.stringMatching(/not as a Toolbus service does/),
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

describe("doctor, checking this machine", () => {
  it.each([
    [0, "ok", /agrees/],
    [-2400, "ok", /agrees/],
    [2600, "fail", /behind the gateway's/],
    [90_000, "fail", /is 1 min behind the gateway's/],
    [-7_199_400, "fail", /is 2\.0 h ahead of the gateway's/],
    [null, "warn", /sends no time/],
  ] as const)("finds a clock that is %s ms off: %s", (clockMs, level, words) => {
    expect(checkClock(probed(clockMs), {})).toMatchObject({ level, message: expect.stringMatching(words) });
  });

  it("uses the limit of CLOCK_SKEW_WARN_MS, as services do, and refuses a bad value", () => {
    const found = (limit: string, clockMs = 2400) => checkClock(probed(clockMs), { CLOCK_SKEW_WARN_MS: limit });
    expect([found("1000").level, found("60000", -50_000).level]).toEqual(["fail", "ok"]);
    expect(found("soon")).toMatchObject({ level: "fail", message: expect.stringContaining('from 100 to 3600000, not "soon"') });
  });

  it("wants Node 24", () => {
    expect(checkNode("v24.21.0").level).toBe("ok");
    expect(checkNode("v25.0.0").level).toBe("ok");
    expect(checkNode("v22.1.0")).toMatchObject({ level: "fail", fix: expect.stringMatching(/Node 24/) });
  });
});
