import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { nobodyToAsk, ToolProblem } from "@toolbus/tool-kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { releaseToolset } from "./release-toolset.ts";

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

const opened: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  opened.splice(0).forEach((close) => close());
});

/** Starts a release API that gives one reply, and records the requests that it received. */
async function setup(reply: Reply | "hang" | "cut") {
  const asked: { readonly method: string | undefined; readonly url: string | undefined; readonly key: unknown; readonly body: string }[] =
    [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    asked.push({ method: request.method, url: request.url, key: request.headers["idempotency-key"], body });
    if (reply === "hang") return;
    if (reply === "cut") return void response.destroy();
    response
      .writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
      .end(reply.text ?? JSON.stringify(reply.body ?? {}));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => (server.closeAllConnections(), server.close()));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const tools = releaseToolset({ url });
  const read = tools.find("get_release_summary")?.tool;
  const write = tools.find("file_risk_report")?.tool;
  if (read?.kind !== "read" || write?.kind !== "write") throw new Error("the toolset lacks a tool");
  return {
    asked,
    tools,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
    check: (signal = new AbortController().signal) => tools.unavailable(signal),
    summary: async (signal = new AbortController().signal) =>
      read.run({ release_id: "v1 & more" }, { callId: "c", sessionId: "s", signal, ...REPORTING }),
    file: async (signal = new AbortController().signal) => write.run(REPORT, { idempotencyKey: "call.1.0", signal, ...REPORTING }),
  };
}

const REPORTING = { log: silentLog, progress: () => undefined, modelUsed: () => undefined, attach: () => null, ask: nobodyToAsk };
const REPORT = { release_id: "v1", severity: "low", findings: ["one"] };

describe("the check of a release API", () => {
  const NOT_FOUND = { error: "release_not_found", message: "None.", known: [] };

  it("passes if the API knows no such release, knows one, refuses the name, or has no time", async () => {
    for (const reply of [
      { status: 404, body: NOT_FOUND },
      { status: 200, body: { release_id: "v1" } },
      { status: 400, body: { error: "bad_request", message: "No." } },
      { status: 429, text: "later" },
    ]) {
      const { check, asked } = await setup(reply);
      expect(await check()).toBeNull();
      expect(asked).toMatchObject([{ method: "GET", url: "/release-summary?release_id=toolbus-availability-check" }]);
    }
  });

  it("says what is wrong and what to do if the API refuses the worker, fails, breaks off, or is something else", async () => {
    for (const [reply, why] of [
      [{ status: 401, body: {} }, /^The release API refuses the worker's access \(status 401\)\. Give /],
      [{ status: 403, text: "<html>" }, /^The release API refuses the worker's access \(status 403\)\. Give /],
      [{ status: 503 }, /^The release API answers with status 503\. Its own log/],
      ["cut", /^The release API cannot be reached\. Start it, or correct RELEASE_API_URL\.$/],
      [{ status: 200, text: "<html>" }, /^The release API sent something that is not JSON\. Correct RELEASE_API_URL/],
      [{ status: 200, body: ["x"] }, /status 200, and not as a release API does\. Correct RELEASE_API_URL\.$/],
      [{ status: 404, text: "<html>" }, /status 404, and not as a release API does\. Correct RELEASE_API_URL\.$/],
      [{ status: 302, headers: { location: "http://127.0.0.1:9" } }, /^The release API cannot be reached\./],
    ] as const) {
      const { check } = await setup(reply);
      expect(await check()).toMatch(why);
    }
  });

  it("says so if nothing listens, and ends when its signal aborts", async () => {
    const signal = new AbortController().signal;
    expect(await releaseToolset({ url: "http://127.0.0.1:9" }).unavailable(signal)).toMatch(/^The release API cannot be reached\./);
    const { check } = await setup("hang");
    await expect(check(AbortSignal.timeout(20))).rejects.toThrow(/timeout/);
  });

  it("gives an API that hangs a few seconds, and says so", async () => {
    vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.abort());
    const { check } = await setup("hang");
    expect(await check(new AbortController().signal)).toMatch(/^The release API does not answer within 4 s\./);
  });
});

describe("get_release_summary", () => {
  it("gives the API's summary", async () => {
    const { summary, asked } = await setup({ status: 200, body: { release_id: "v1" } });
    expect(await summary()).toEqual({ release_id: "v1" });
    expect(asked[0]).toMatchObject({ method: "GET", url: "/release-summary?release_id=v1%20%26%20more" });
  });

  it("names the known releases if there is none of that name", async () => {
    const { summary } = await setup({
      status: 404,
      body: { error: "release_not_found", message: 'There is no release "v9".', known: ["v1", "v2"] },
    });
    const problem = await summary();
    expect(problem).toBeInstanceOf(ToolProblem);
    expect(problem).toMatchObject({ code: "release_not_found", message: 'There is no release "v9". Known releases: v1, v2.' });
  });

  it("says when to retry", async () => {
    const { summary } = await setup({ status: 429, headers: { "retry-after": "7" } });
    expect(await summary()).toMatchObject({ code: "rate_limited", options: { retryAfter: 7 } });
  });

  it("is unavailable and may be repeated when the API fails, breaks off, or sends nonsense or too much", async () => {
    for (const reply of [
      { status: 503 },
      "cut",
      { status: 200, text: "<html>" },
      { status: 200, text: `"${"x".repeat(2_000_000)}"` },
    ] as const) {
      const { summary } = await setup(reply);
      expect(await summary()).toMatchObject({ code: "unavailable", options: { retryable: true } });
    }
  });

  it("ends when its signal aborts", async () => {
    const { summary } = await setup("hang");
    await expect(summary(AbortSignal.timeout(20))).rejects.toThrow(/timeout/);
  });
});

describe("the tools of a release API", () => {
  it("ask the API of their factory, also next to those of another", async () => {
    const sides = [await setup({ status: 200, body: { release_id: "left" } }), await setup({ status: 200, body: { release_id: "right" } })];
    expect(await Promise.all(sides.map(({ summary }) => summary()))).toEqual([{ release_id: "left" }, { release_id: "right" }]);
    expect(sides.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });
});

describe("file_risk_report", () => {
  it("sends the report with the call's id as key", async () => {
    const { file, asked } = await setup({ status: 201, body: { report_id: "r1" } });
    expect(await file()).toEqual({ report_id: "r1" });
    expect(asked).toEqual([{ method: "POST", url: "/risk-report", key: "call.1.0", body: JSON.stringify(REPORT) }]);
  });

  it("states that nothing happened when the API refuses", async () => {
    for (const [reply, code] of [
      [{ status: 404, body: { error: "release_not_found", message: "None." } }, "release_not_found"],
      [
        { status: 400, body: { error: "invalid_report", message: "Bad.", details: [{ field: "severity", problem: "is wrong" }] } },
        "invalid_arguments",
      ],
      [{ status: 422, body: { error: "idempotency_key_reused", message: "Used." } }, "release_api_refused"],
      [{ status: 429 }, "rate_limited"],
    ] as const) {
      const { file } = await setup(reply);
      expect(await file()).toMatchObject({ code, options: { effect: "none" } });
    }
  });

  it("states that nothing happened when there was no connection, because then no report was sent", async () => {
    const { file, stop } = await setup({ status: 201, body: {} });
    await stop();
    expect(await file()).toMatchObject({ code: "unavailable", options: { effect: "none", retryable: true } });
  });

  it("leaves the outcome open when the API fails or breaks off", async () => {
    for (const reply of [{ status: 500 }, { status: 408 }, "cut"] as const) {
      const { file } = await setup(reply);
      const problem = await file().catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(ToolProblem);
      expect(problem instanceof ToolProblem && problem.options.effect).toBeUndefined();
    }
  });

  it("accepts one to 64 findings of bounded length and nothing else", async () => {
    const { tools } = await setup({ status: 200 });
    const definition = tools.find("file_risk_report")?.definition;
    if (!definition) throw new Error("no definition");
    const problems = (args: JsonObject) => checkArguments(definition, args).length;
    expect(problems(REPORT)).toBe(0);
    expect(problems({ ...REPORT, findings: [] })).toBe(1);
    expect(problems({ ...REPORT, findings: Array.from({ length: 65 }, () => "x") })).toBe(1);
    expect(problems({ ...REPORT, findings: ["x".repeat(1001)] })).toBe(1);
    expect(problems({ ...REPORT, severity: "critical" })).toBe(1);
    expect(problems({ ...REPORT, more: 1 })).toBe(1);
  });

  it("has the definition that approvers read", async () => {
    const { tools } = await setup({ status: 200 });
    expect(tools.find("file_risk_report")?.definition).toMatchObject({
      kind: "write",
      risk: { tier: "high" },
      idempotency: { mode: "key", keepsForMs: 30 * 86_400_000 },
      effect: "File a {severity} risk report for release {release_id} with {findings}.",
      source: "release",
    });
  });
});
