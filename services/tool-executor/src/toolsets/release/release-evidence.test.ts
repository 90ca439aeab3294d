import { createServer } from "node:http";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { nobodyToAsk, ToolProblem } from "@toolbus/tool-kit";
import { afterEach, describe, expect, it } from "vitest";
import { releaseToolset } from "./release-toolset.ts";

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const opened: (() => void)[] = [];
afterEach(() => opened.splice(0).forEach((close) => close()));

/** Starts a release API that answers each path with its reply, and other paths as an older API does. */
async function setup(replies: Readonly<Record<string, Reply>> = {}) {
  const asked: string[] = [];
  const older: Reply = { status: 404, body: { error: "not_found", message: "There is no such path." } };
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { status, body, text, headers } = replies[new URL(request.url ?? "", "http://x").pathname] ?? older;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text ?? JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => (server.closeAllConnections(), server.close()));
  const address = server.address();
  const tools = releaseToolset({ url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` });
  return {
    asked,
    tools,
    async call(name: string, args: JsonObject = { release_id: "v1" }) {
      const found = tools.find(name);
      if (found?.tool.kind !== "read") throw new Error(`There is no read ${name}.`);
      expect(checkArguments(found.definition, args)).toEqual([]);
      return found.tool.run(args, { callId: "c", sessionId: "s", signal: new AbortController().signal, ...REPORTING });
    },
    problems(name: string, args: JsonObject) {
      const found = tools.find(name);
      if (!found) throw new Error(`There is no ${name}.`);
      return checkArguments(found.definition, args).length;
    },
  };
}

const REPORTING = { log: silentLog, progress: () => undefined, modelUsed: () => undefined, attach: () => null, ask: nobodyToAsk };

const CHANGES = { release_id: "v1", base: "v0", head: "v1", facts: { format: 1 } };
const ANSWERS = {
  get_test_details: ["/test-details", { release_id: "v1", tests: null, cases: [], missing: [] }],
  get_code_changes: ["/code-changes", CHANGES],
  get_past_releases: ["/past-releases", { release_id: "v1", releases: [], missing: [] }],
  get_traces: ["/observability-traces", { release_id: "v1", totals: null, operations: [], missing: [] }],
} as const;
const CASES = Object.entries(ANSWERS).map(([tool, [path, body]]) => ({ tool, path, body }));

describe("the tools for evidence about a release", () => {
  it.each(CASES)("$tool gives the API's answer", async ({ tool, path, body }) => {
    const { call, asked } = await setup({ [path]: { status: 200, body } });
    expect(await call(tool)).toEqual(body);
    expect(asked).toEqual([`${path}?release_id=v1`]);
  });

  it("send their filters, and nothing that was not given", async () => {
    const { call, asked } = await setup({ "/code-changes": { status: 200, body: CHANGES } });
    await call("get_code_changes", { release_id: "shop/v1 &x", area: "a b", path: "*.ts", kind: "code", page: 2 });
    expect(asked).toEqual(["/code-changes?release_id=shop%2Fv1+%26x&area=a+b&path=*.ts&kind=code&page=2"]);
  });

  it.each(CASES)("$tool says in one sentence that an older API has no such evidence, and is not tried again", async ({ tool, path }) => {
    for (const reply of [undefined, { status: 404, text: "<html>" }, { status: 501, body: {} }, { status: 405, body: {} }]) {
      const { call } = await setup(reply ? { [path]: reply } : {});
      const problem = await call(tool);
      expect(problem).toBeInstanceOf(ToolProblem);
      expect(problem).toMatchObject({
        code: "no_such_evidence",
        message: expect.stringMatching(/^The release API does not serve [a-z ]+, so [^.]+\.$/),
      });
      expect(problem instanceof ToolProblem && problem.options.retryable).not.toBe(true);
    }
  });

  it.each(CASES)("$tool names the known releases if there is none of that name", async ({ tool, path }) => {
    const body = { error: "release_not_found", message: 'There is no release "v1".', known: ["v2"] };
    const { call } = await setup({ [path]: { status: 404, body } });
    expect(await call(tool)).toMatchObject({ code: "release_not_found", message: 'There is no release "v1". Known releases: v2.' });
  });

  it("pass on why there are no code changes, and which page is the last one", async () => {
    for (const error of ["no_code_changes", "page_not_found"]) {
      const { call } = await setup({ "/code-changes": { status: 404, body: { error, message: "Because." } } });
      expect(await call("get_code_changes")).toMatchObject({ code: error, message: "Because." });
    }
  });

  it("are tried again if the API still reads, fails, or sends too much", async () => {
    for (const [reply, more] of [
      [{ status: 503, body: { error: "still_reading" }, headers: { "retry-after": "5" } }, { retryAfter: 5 }],
      [{ status: 500 }, {}],
      [{ status: 200, text: JSON.stringify({ ...CHANGES, facts: { text: "x".repeat(70_000) } }) }, {}],
      [{ status: 200, text: "{" }, {}],
    ] as const) {
      const { call } = await setup({ "/code-changes": reply });
      expect(await call("get_code_changes")).toMatchObject({ code: "unavailable", options: { retryable: true, ...more } });
    }
  });

  it.each(CASES)("$tool refuses an answer of another form", async ({ tool, path, body }) => {
    for (const wrong of [[], {}, { ...body, release_id: 1 }]) {
      const { call } = await setup({ [path]: { status: 200, body: wrong } });
      expect(await call(tool)).toMatchObject({ code: "release_api_refused", message: expect.stringContaining("something else than") });
    }
  });

  it("refuse arguments that the API would not take", async () => {
    const { problems } = await setup();
    for (const [tool, args] of [
      ["get_code_changes", {}],
      ["get_code_changes", { release_id: "v1", page: 0 }],
      ["get_code_changes", { release_id: "v1", kind: "binary" }],
      ["get_code_changes", { release_id: "v1", repo: "/etc" }],
      ["get_code_changes", { release_id: "v1", area: "a\u0000" }],
      ["get_test_details", { release_id: "v1", status: "green" }],
      ["get_past_releases", { release_id: "" }],
      ["get_traces", { release_id: "v1", service: "" }],
    ] as const)
      expect({ tool, args, problems: problems(tool, args) > 0 }).toEqual({ tool, args, problems: true });
  });

  it("have examples only if the API says that it has the evidence, and the slow one is no golden call", async () => {
    const signal = new AbortController().signal;
    const older = await setup({ "/releases": { status: 200, body: { releases: ["v1"] } } });
    expect(Object.keys(await older.tools.examples(signal))).toEqual(["get_release_summary", "file_risk_report"]);
    const newer = await setup({
      "/releases": { status: 200, body: { releases: ["v1"], evidence: ["code-changes", "observability-traces", 1] } },
    });
    expect(await newer.tools.examples(signal)).toMatchObject({ get_code_changes: { release_id: "v1" }, get_traces: { release_id: "v1" } });
    expect(Object.keys(await newer.tools.examples(signal))).not.toContain("get_test_details");
    expect(newer.tools.find("get_code_changes")?.tool.noGoldenCall).toMatch(/\.$/);
  });
});
