import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { memoryBus } from "@toolbus/bus";
import { ownKeys } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import type { Toolset } from "@toolbus/tool-kit";
import { describe, expect, it, vi } from "vitest";
import { startMcp } from "../start-mcp.ts";

const HOSTILE = fileURLToPath(new URL("../../../testing/hostile-server.ts", import.meta.url));
const own = await ownKeys(["worker.mcp"]);

/** Starts replicas of the bridge with the same file and store. */
async function setup(entry: object, settings: { readonly MCP_REGISTER_SERVERS?: "off" | "unsandboxed" } = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), "mcp-lease-"));
  const file = path.join(folder, "mcp.json");
  // No other process has this argument.
  const mark = path.basename(folder);
  await writeFile(file, JSON.stringify({ mcpServers: { s: { command: process.execPath, args: [HOSTILE, mark], ...entry } } }));
  const infrastructure = {
    bus: memoryBus({ clock: () => Date.now() }),
    state: memoryStore({ clock: () => Date.now() }),
    identity: own.identityOf("worker.mcp"),
    trusted: own.trusted,
    log: silentLog,
    embedded: true,
    env: { PATH: "/usr/bin:/bin" },
    monotonic: () => performance.now(),
    clock: () => Date.now(),
    random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  };
  const serving = new Set<string>();
  const timings = { leaseMs: 2000, renewMs: 100, marginMs: 500, standbyMs: 10 };
  return {
    serving,
    replica: (name: string) =>
      startMcp(
        { MCP_CONFIG_FILE: file, MCP_REGISTER_SERVERS: "off", KNOWN_SERVICES_FILE: "", ...settings },
        infrastructure,
        async ({ list }: Toolset) => {
          expect(list().map(({ definition }) => definition.name)).toContain("s__add_one");
          serving.add(name);
          return { renew: async () => undefined, stop: async () => void serving.delete(name) };
        },
        timings,
      ),
    processes: () =>
      readdirSync("/proc")
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => isServer(pid, mark)).length,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

function isServer(pid: string, mark: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words[0] === process.execPath && words.includes(mark);
  } catch {
    return false;
  }
}

describe("a stdio server of several replicas", () => {
  it("runs once, on the replica that also takes the calls, and on another replica after that one stops", async () => {
    await using t = await setup({});
    const [a, b] = [await t.replica("a"), await t.replica("b")];
    expect([[...t.serving], t.processes()]).toEqual([["a"], 1]);
    await a.stop();
    await vi.waitFor(() => expect([...t.serving]).toEqual(["b"]), 10_000);
    expect(t.processes()).toBe(1);
    await b.stop();
    await vi.waitFor(() => expect(t.processes()).toBe(0));
  });

  it("runs on each replica if its entry says perReplica, unless calls may register other servers", async () => {
    await using t = await setup({ perReplica: true });
    const both = [await t.replica("a"), await t.replica("b")];
    expect([[...t.serving], t.processes()]).toEqual([["a", "b"], 2]);
    await Promise.all(both.map((replica) => replica.stop()));
    await using registering = await setup({ perReplica: true }, { MCP_REGISTER_SERVERS: "unsandboxed" });
    const two = [await registering.replica("a"), await registering.replica("b")];
    expect([...registering.serving]).toEqual(["a"]);
    await Promise.all(two.map((replica) => replica.stop()));
  });
});
