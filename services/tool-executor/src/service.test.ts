import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { protectionOf } from "@toolbus/contracts";
import { makeServiceKeys, readSettings, runServices, serviceKeyFiles, workerKeyFile } from "@toolbus/runtime";
import { lintTool, readRegistry } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { toolExecutor } from "./service.ts";
import { executorSettings } from "./settings.ts";
import { servedBy } from "./toolsets/index.ts";

const base = { BUS_URL: "memory:", STATE_URL: "memory:", LOG_LEVEL: "silent", JWKS_FILE: "no-such-file.json" };

describe("the tools that this image can serve", () => {
  it("pass the lint without an error or a warning", () => {
    const { toolsets } = servedBy(readSettings(executorSettings, base));
    for (const { definition } of toolsets.flatMap((each) => each.list()))
      expect([definition.name, lintTool(definition)]).toEqual([definition.name, []]);
  });
});

describe("the tools that call the release API", () => {
  it("name their owner, their SLO, their limits, and the API as the one dependency that they share", () => {
    const { toolsets } = servedBy(readSettings(executorSettings, base));
    const said = toolsets
      .flatMap((each) => each.list())
      .map(({ definition }) => [definition.owner, definition.slo, protectionOf(definition)]);
    const dependencies = [{ name: "release-api", p99Ms: 2000, concurrent: 16 }];
    expect(said).toEqual([
      ["release", { p99Ms: 2000, successRate: 0.99 }, { dependencies, limits: { argumentBytes: 2048, callsPerMinute: 600 } }],
      ["release", { p99Ms: 2000, successRate: 0.99 }, { dependencies, limits: { argumentBytes: 4096, callsPerMinute: 300 } }],
      ["release", { p99Ms: 15_000, successRate: 0.99 }, { dependencies, limits: { argumentBytes: 4096, callsPerMinute: 300 } }],
      ["release", { p99Ms: 10_000, successRate: 0.99 }, { dependencies, limits: { argumentBytes: 2048, callsPerMinute: 300 } }],
      ["release", { p99Ms: 2000, successRate: 0.99 }, { dependencies, limits: { argumentBytes: 2048, callsPerMinute: 300 } }],
      ["release", { p99Ms: 5000, successRate: 0.99 }, { dependencies, limits: { callsPerMinute: 120 } }],
    ]);
  });
});

describe("the tool executor", () => {
  it("registers the configured toolsets, and stops", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "executor-"));
    const running = await runServices([toolExecutor], { env: { ...base, RECEIPT_KEY_FILE: path.join(directory, "receipts.jwk") } });
    expect((await readRegistry(running.infrastructure.state)).map(({ definition }) => definition.name)).toEqual([
      "file_risk_report",
      "get_code_changes",
      "get_past_releases",
      "get_release_summary",
      "get_test_details",
      "get_traces",
    ]);
    expect(await running.stop()).toBe(true);
    await rm(directory, { recursive: true });
  });

  it("needs no keys when it serves only operations, which registers nothing", async () => {
    const running = await runServices([toolExecutor], { env: { ...base, JWKS_FILE: "", TOOLSETS: "operations" } });
    expect(await readRegistry(running.infrastructure.state)).toEqual([]);
    expect(await running.stop()).toBe(true);
  });

  it("registers nothing while its required golden calls fail, and is served all the same if they are only wanted", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "executor-"));
    const away = { ...base, RECEIPT_KEY_FILE: path.join(directory, "receipts.jwk"), RELEASE_API_URL: "http://127.0.0.1:1" };
    for (const [mode, tools, reasons] of [
      ["required", 0, ["the golden call of get_release_summary fails with unavailable (and 4 more)"]],
      ["warn", 6, []],
    ] as const) {
      const running = await runServices([toolExecutor], { env: { ...away, GOLDEN_CALLS: mode } });
      expect(running.services.get("tool-executor")?.unready()).toEqual(reasons);
      expect(await readRegistry(running.infrastructure.state)).toHaveLength(tools);
      expect(await running.stop()).toBe(true);
    }
    await rm(directory, { recursive: true });
  });

  it("refuses a receipt key that service-keys.json does not have for each of its toolsets, before it connects, except for operations beside one", async () => {
    const directory = await mkdtemp(path.join(tmpdir(), "executor-"));
    const files = serviceKeyFiles(directory);
    await makeServiceKeys(files, { toolsets: ["guides"], ownToolsets: ["release", "operations"], random: randomBytes });
    const start = (TOOLSETS: string, keyOf: string, BUS_URL = "nats://127.0.0.1:1") =>
      runServices([toolExecutor], {
        env: { ...base, BUS_URL, TOOLSETS, RECEIPT_KEY_FILE: workerKeyFile(files, keyOf), SERVICE_KEYS_FILE: files.trusted },
        // A start that gets past its keys ends here, at the broker that nobody started.
        signal: AbortSignal.timeout(1000),
      });
    await expect(start("release", "operations")).rejects.toThrow(/^The key in RECEIPT_KEY_FILE .* is not the key of worker\.release in/);
    await expect(start("operations", "release")).rejects.toThrow(/ is not the key of worker\.operations in /);
    await expect(start("operations, release, guides", "release")).rejects.toThrow(/ is not the key of worker\.guides in /);
    for (const [toolsets, keyOf] of [
      ["release", "release"],
      ["operations,release", "release"],
    ] as const)
      await expect(start(toolsets, keyOf)).rejects.not.toThrow(/RECEIPT_KEY_FILE/);
    const alone = await start("release", "operations", "memory:");
    expect(await alone.stop()).toBe(true);
    await rm(directory, { recursive: true });
  });

  it("refuses to start with one sentence: unknown toolset, no public keys, a renewal that comes too late, flags or limits that cannot be read", async () => {
    for (const [env, words] of [
      [{ TOOLSETS: "release,weather" }, 'TOOLSETS names "weather", which is not a toolset. Known: release, guides, mcp, operations.'],
      [{ JWKS_FILE: "" }, /^The public keys of approvals are not known/],
      [{ JWKS_FILE: "", JWKS_URL: "approvals:8080" }, /^JWKS_URL cannot be used\. The address of a key set must be an http or https URL/],
      [{ GOLDEN_CALLS: "on" }, /^A setting is wrong: GOLDEN_CALLS: /],
      [{ LEDGER_RENEW_MS: "10000" }, /^LEDGER_RENEW_MS must be shorter/],
      [{ TOOL_FLAGS: "a=maybe" }, /^"a=maybe" sets no flag: write flags as/],
      [{ TOOL_LIMITS: "release-api=4" }, /^TOOL_LIMITS: "release-api=4" is not a limit: write limits as/],
      [{ TOOL_FLAGS_FILE: "no-such-flags.json" }, /^The flags file no-such-flags.json cannot be read \(ENOENT\)/],
    ] as const) {
      await expect(runServices([toolExecutor], { env: { ...base, ...env } })).rejects.toThrow(words);
    }
  });
});
