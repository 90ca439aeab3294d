import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { freePort } from "@toolbus/testing/servers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { someRelease } from "./testing/releases.ts";
import { type Program, startProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const WORKER = path.resolve(import.meta.dirname, "../../services/tool-executor/src/main.ts");
const RELEASE = "v1.5.0";

/** A release API that answers each summary with the given status, and notes what it was asked. */
async function releaseApi() {
  const asked: string[] = [];
  const state = { status: 500 };
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isList = request.url === "/releases";
    const isCheck = request.url?.endsWith("toolbus-availability-check") ?? false;
    const status = isList ? 200 : isCheck ? 404 : state.status;
    const body = isList ? { releases: [RELEASE] } : status === 200 ? someRelease(RELEASE) : { error: "no", message: "password=hunter2" };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    state,
    [Symbol.dispose]: () => void (server.closeAllConnections(), server.close()),
  };
}

describe("a worker whose golden calls are required", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());

  it("is unready with one sentence, takes no calls, and becomes ready when the calls pass, all without a run and without an effect", async () => {
    using api = await releaseApi();
    const port = await freePort();
    await using worker: Program = startProgram(WORKER, [], {
      env: {
        BUS_URL: "memory:",
        STATE_URL: "memory:",
        JWKS_FILE: "none.json",
        RECEIPT_KEY_FILE: files.at("receipts.jwk"),
        RELEASE_API_URL: api.url,
        HEALTH_PORT: String(port),
        TRACE_DIR: files.at("traces"),
        GOLDEN_CALLS: "required",
        LOG_FORMAT: "json",
      },
    });
    const readyz = async () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        async (answer) => ({ status: answer.status, reasons: ((await answer.json()) as { readonly reasons: readonly string[] }).reasons }),
        () => null,
      );
    await expect
      .poll(readyz, { timeout: 60_000 })
      .toEqual({ status: 503, reasons: ["the golden call of get_release_summary fails with unavailable"] });
    // The worker announces its tools when it has registered them, and only then consumes.
    expect(worker.stderr()).toContain("A golden call failed: The release API answered with status 500.");
    expect(worker.stderr()).not.toContain("hunter2");
    api.state.status = 200;
    await expect.poll(readyz, { timeout: 60_000 }).toEqual({ status: 200, reasons: [] });
    worker.kill("SIGTERM");
    const { code, stderr } = await worker.ended();
    expect(code).toBe(0);
    expect(stderr).toContain("the golden calls passed");
    expect(api.asked).toContain(`GET /release-summary?release_id=${RELEASE}`);
    expect(api.asked.filter((asked) => !asked.startsWith("GET "))).toEqual([]);
    const spans = spanNamesIn(files.at("traces"));
    expect(spans).toContain("golden_call get_release_summary");
    expect(spans.filter((name) => name.startsWith("execute_tool"))).toEqual([]);
  });
});

function spanNamesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { readonly name: string }).name),
  );
}
