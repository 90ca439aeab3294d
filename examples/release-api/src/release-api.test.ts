import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ReleaseApiOptions, startReleaseApi } from "./release-api.ts";
import type { ReleaseSummary } from "./release-summary.ts";
import { scratchFolder } from "@toolbus/release-facts/testing";

const release: ReleaseSummary = {
  release_id: "v1.0.0",
  version: "v1.0.0",
  source: "git",
  from: { name: "v0.9.0" },
  to: { name: "v1.0.0" },
  change_count: 1,
  changes: ["Begin"],
  changes_omitted: 0,
  authors: [],
  files: { changed: 0, insertions: 0, deletions: 0, binary: 0, top: [], omitted: 0 },
  areas: [],
  size: { commits: 1, files: 0, lines: 0 },
  tests: { passed: 142, failed: 2, skipped: 5, failures: [] },
  notes: [],
};
const report = { release_id: "v1.0.0", severity: "high", findings: ["2 of 149 tests fail"] };

async function setup(options: Partial<ReleaseApiOptions> = {}) {
  const folder = scratchFolder();
  let ids = 0;
  const start = (more: Partial<ReleaseApiOptions> = {}) =>
    startReleaseApi({
      directory: join(folder.path, "data"),
      releases: new Map([[release.release_id, release]]),
      clock: () => Date.UTC(2026, 0, 2),
      newId: () => `rr_${++ids}`,
      ...options,
      ...more,
    });
  let api = await start();
  return {
    api: () => api,
    folder,
    async restart(more: Partial<ReleaseApiOptions> = {}) {
      await api.stop();
      api = await start(more);
    },
    get: (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init),
    post(body: unknown, headers: Record<string, string> = {}) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return fetch(`${api.url}/risk-report`, {
        method: "POST",
        body: text,
        headers: { "content-type": "application/json", "idempotency-key": "k1", ...headers },
      });
    },
    async [Symbol.asyncDispose]() {
      await api.stop();
      folder[Symbol.dispose]();
    },
  };
}

describe("release summaries over HTTP", () => {
  it("answers a known release", async () => {
    await using world = await setup();
    const answer = await world.get("/release-summary?release_id=v1.0.0");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.json()).toEqual(release);
    expect((await world.get("/release-summary?release_id=v1.0.0", { method: "HEAD" })).status).toBe(200);
  });

  it("says which releases it knows when asked for another", async () => {
    await using world = await setup();
    const answer = await world.get("/release-summary?release_id=v2");
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: "release_not_found", message: 'There is no release "v2".', known: ["v1.0.0"] });
  });

  it.each(["", "?release_id=", "?release_id=a&release_id=b", `?release_id=${"x".repeat(201)}`])("refuses the query %j", async (query) => {
    await using world = await setup();
    expect((await world.get(`/release-summary${query}`)).status).toBe(400);
  });

  it("answers 503, and logs why, when its source of releases fails", async () => {
    const errors: unknown[] = [];
    const broken = { get: () => Promise.reject(new Error("disk gone")), keys: () => [] };
    await using world = await setup({ releases: broken, onError: (error) => errors.push(error) });
    const answer = await world.get("/release-summary?release_id=v1.0.0");
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("disk gone");
    expect(errors).toEqual([new Error("disk gone")]);
  });

  it("knows its paths and methods", async () => {
    await using world = await setup();
    expect(await (await world.get("/healthz")).json()).toEqual({ status: "ok" });
    expect((await world.get("/nowhere")).status).toBe(404);
    const answer = await world.get("/release-summary", { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await world.get("/risk-report")).headers.get("allow")).toBe("POST");
  });
});

describe("risk reports over HTTP", () => {
  it("files a report that can be read again", async () => {
    await using world = await setup();
    const answer = await world.post(report);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("idempotent-replay")).toBeNull();
    expect(await answer.json()).toEqual({ report_id: "rr_1", release_id: "v1.0.0", severity: "high", url: "/risk-report/rr_1" });
    const filed = { report_id: "rr_1", ...report, filed_at: "2026-01-02T00:00:00.000Z" };
    expect(await (await world.get("/risk-report/rr_1")).json()).toEqual(filed);
    expect(await (await world.get("/risk-reports")).json()).toEqual({ total: 1, reports: [filed] });
    expect(world.api().reports()).toEqual([filed]);
    expect((await world.get("/risk-report/rr_2")).status).toBe(404);
  });

  it("answers a repeat with the first report, also after a restart and without the release", async () => {
    await using world = await setup();
    const first = await (await world.post(report)).json();
    const repeat = async () => {
      // The same fields in another order and with other whitespace are the same content.
      const { findings, severity, release_id } = report;
      const answer = await world.post(JSON.stringify({ findings, severity, release_id }, null, 2));
      expect([answer.status, answer.headers.get("idempotent-replay")]).toEqual([200, "true"]);
      expect(await answer.json()).toEqual(first);
    };
    await repeat();
    await world.restart({ releases: new Map() });
    await repeat();
    expect(world.api().reports()).toHaveLength(1);
  });

  it("refuses a key that is reused with another body", async () => {
    await using world = await setup();
    await world.post(report);
    expect((await world.post({ ...report, severity: "low" })).status).toBe(422);
    expect((await world.post({ ...report, note: "more" })).status).toBe(422);
    await world.restart();
    expect((await world.post({ ...report, severity: "low" })).status).toBe(422);
    expect(world.api().reports()).toHaveLength(1);
  });

  it("makes one report of repeats that race", async () => {
    const begun: string[] = [];
    const arrived = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using world = await setup({
      beforeEffect: async (key) => {
        begun.push(key);
        arrived.resolve();
        await gate.promise;
      },
    });
    const first = world.post(report);
    await arrived.promise;
    const others = Array.from({ length: 20 }, () => world.post(report));
    const other = await world.post({ ...report, severity: "low" });
    gate.resolve();
    const answers = await Promise.all([first, ...others]);
    expect(answers.map(({ status }) => status)).toEqual([201, ...Array.from({ length: 20 }, () => 200)]);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect([other.status, begun, world.api().reports().length]).toEqual([422, ["k1"], 1]);
  });

  it("reports the effect before and after it, and answers last", async () => {
    const reported: string[] = [];
    await using world = await setup({
      beforeEffect: async (key) => void reported.push(`before ${key} ${world.api().reports().length}`),
      onEffect: ({ report_id }) => void reported.push(report_id),
      afterEffect: async (key) => void reported.push(`after ${key} ${world.api().reports().length}`),
    });
    await world.post(report);
    await world.post(report);
    expect(reported).toEqual(["before k1 0", "rr_1", "after k1 1"]);
  });

  it("tries again under the same key when nothing was stored, and repeats when only the answer was lost", async () => {
    let fail: string | undefined = "before";
    const failing = (when: string) => async () => {
      if (fail === when) throw new Error(when);
    };
    await using world = await setup({ beforeEffect: failing("before"), afterEffect: failing("after") });
    expect([(await world.post(report)).status, world.api().reports().length]).toEqual([503, 0]);
    fail = "after";
    expect([(await world.post(report)).status, world.api().reports().length]).toEqual([503, 1]);
    fail = undefined;
    expect([(await world.post(report)).status, world.api().reports().length]).toEqual([200, 1]);
  });

  it.each([
    ["no key", { "idempotency-key": undefined }, 400],
    ["a key with a blank", { "idempotency-key": "a b" }, 400],
    ["an endless key", { "idempotency-key": "k".repeat(256) }, 400],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["another character set", { "content-type": "application/json; charset=latin1" }, 415],
    ["a compressed body", { "content-encoding": "gzip" }, 415],
  ])("refuses %s", async (_what, wrong, status) => {
    await using world = await setup();
    const headers = Object.entries({ "content-type": "application/json", "idempotency-key": "k1", ...wrong }).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    );
    const answer = await world.get("/risk-report", { method: "POST", body: JSON.stringify(report), headers });
    expect([answer.status, world.api().reports().length]).toEqual([status, 0]);
    expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/^[^\n]+\.$/) });
  });

  it.each([
    ["half a body", '{"release_id":', "invalid_json"],
    ["an empty body", "", "invalid_json"],
    ["deep nesting", "[".repeat(200_000), "invalid_json"],
    ["a list", "[]", "invalid_report"],
    ["an unknown severity", { ...report, severity: "catastrophic" }, "invalid_report"],
    ["no findings", { ...report, findings: [] }, "invalid_report"],
    ["too many findings", { ...report, findings: Array.from({ length: 65 }, () => "x") }, "invalid_report"],
    ["a finding of blanks", { ...report, findings: [" "] }, "invalid_report"],
    ["a finding that is not a text", { ...report, findings: [1] }, "invalid_report"],
  ])("refuses %s", async (_what, body, error) => {
    await using world = await setup();
    const answer = await world.post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error });
  });

  it("names every field that is wrong, unknown ones too", async () => {
    await using world = await setup();
    const answer = await world.post('{"severity":1,"findings":["a"],"__proto__":{},"extra":1}');
    const { details } = (await answer.json()) as { details: { field: string }[] };
    expect(details.map(({ field }) => field)).toEqual(["__proto__", "extra", "release_id", "severity"]);
  });

  it("files a report on a release that it does not have", async () => {
    await using world = await setup();
    const answer = await world.post({ ...report, release_id: "v2" });
    expect([answer.status, await answer.json()]).toMatchObject([201, { release_id: "v2", url: "/risk-report/rr_1" }]);
    expect(await (await world.get("/risk-report/rr_1")).json()).toMatchObject({ release_id: "v2" });
  });

  it("refuses a body above 256 KiB", async () => {
    await using world = await setup();
    const answer = await world.post(JSON.stringify(report).padEnd(256 * 1024 + 1));
    expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"]);
    expect((await world.post(JSON.stringify(report).padEnd(256 * 1024))).status).toBe(201);
  });

  it("outlives a client that goes away in the middle of its body", async () => {
    await using world = await setup();
    const { port } = new URL(world.api().url);
    const socket = connect(Number(port), "127.0.0.1");
    const head =
      "POST /risk-report HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nidempotency-key: k1\r\ncontent-length: 100\r\n\r\n{";
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
    expect((await world.post(report)).status).toBe(201);
  });
});

describe("stopping the release API", () => {
  it("answers active requests, then frees the port and the folder", async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using world = await setup({
      beforeEffect: async () => {
        begun.resolve();
        await gate.promise;
      },
    });
    const answer = world.post(report);
    await begun.promise;
    const stopped = world.api().stop();
    gate.resolve();
    expect((await answer).status).toBe(201);
    await Promise.all([stopped, world.api().stop()]);
    await expect(world.get("/healthz")).rejects.toThrow("fetch failed");
  });

  it("says so when the port is taken", async () => {
    await using world = await setup();
    const port = Number(new URL(world.api().url).port);
    using folder = scratchFolder();
    const second = startReleaseApi({ port, directory: folder.path, releases: new Map(), clock: () => 0, newId: () => "x" });
    await expect(second).rejects.toThrow("EADDRINUSE");
  });
});
