import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { HOME_SHARD, type Json, keys, type Registration, type ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { connectState, type StateStore } from "@toolbus/state";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, openArena } from "../redteam/arena.ts";
import { startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { linesOf } from "./queue-floods.ts";

const SCHEMAS = 200;
const WITHIN_MS = 5000;
const HEALTH_MS = 1000;
/** The test starts a run after each batch of this many registrations. The agent reads the current registrations for the run. */
const EACH = 1;
const RUNS = SCHEMAS / EACH;

describe("a worker's login that registers one expensive schema after another", () => {
  let system: SystemUnderAttack;
  let arena: Arena;
  let store: StateStore;
  let health: readonly string[];
  beforeAll(async () => {
    const port = await freePort();
    system = await startSystemUnderAttack("nats", "own", {
      modules: { agent: path.join(import.meta.dirname, "../redteam/service-with-health.ts") },
      env: { HEALTH_PORT_OF_agent: String(port) },
    });
    arena = await openArena(system);
    store = await connectState(system.addressesOf("worker-notes").stateUrl, { clock: Date.now });
    health = [`http://127.0.0.1:${port}/healthz`, arena.approvals("/healthz"), arena.gateway("/healthz")];
  });
  afterAll(async () => {
    await store?.close();
    await arena?.close();
    await system?.stop();
  });

  it(`lets others' runs continue through ${SCHEMAS} of them, and shows an operator why its tools stay unchanged`, async () => {
    const agent = system.apart.replicas().find(({ service }) => service === "agent")?.process.pid ?? 0;
    let going = true;
    let slowest = 0;
    const watching = health.map(async (url) => {
      while (going) {
        const from = performance.now();
        expect((await fetch(url, { signal: AbortSignal.timeout(5000) })).status).toBe(200);
        slowest = Math.max(slowest, performance.now() - from);
      }
    });
    let version = 0;
    let longest = 0;
    const spent = cpuSecondsOf(agent);
    for (let n = 0; n < SCHEMAS; n++) {
      version = await register(n, version);
      if (n % EACH > 0) continue;
      const from = performance.now();
      const { runId } = await arena.asked("read", { payee: "BAKERY", amount: 1 }, { as: "clerk" });
      expect((await arena.ended(runId)).at(-1)).toMatchObject({ type: "run.completed" });
      longest = Math.max(longest, performance.now() - from);
    }
    going = false;
    await Promise.all(watching);
    const reported = linesOf(system, /agent: .*"notes\\" registers definitions faster than they can be read/);
    console.log(
      `${SCHEMAS} new schemas in a row: ${RUNS} runs of others, the longest ${Math.round(longest)} ms; /healthz within ${Math.round(slowest)} ms; ` +
        `the agent used ${(cpuSecondsOf(agent) - spent).toFixed(1)} s of processor; ${reported.length} lines: ${reported[0]?.slice(0, 400)}`,
    );
    expect(longest).toBeLessThan(WITHIN_MS);
    expect(slowest).toBeLessThan(HEALTH_MS);
    expect(reported.length).toBeGreaterThan(0);
    // The agent logs this line once a minute.
    expect(reported.length).toBeLessThan(4);
  }, 180_000);

  /** Registers a definition as any client with this login can, without the checks of the tool kit. */
  async function register(n: number, version: number): Promise<number> {
    const now = Date.now();
    const key = keys.registration("notes", "look_up", "1");
    const definition = dear(n);
    const value: Registration = { toolset: "notes", definition, hash: toolHash(definition), registeredAt: now, lastSeenAt: now };
    const { outcome, commit } = await store.commit(HOME_SHARD, {
      op: `churn:${n}:${now}`,
      guards: [{ key, version }],
      put: [{ key, value: value as unknown as Json }],
      index: [{ index: keys.registryIndex(), member: "notes/look_up@1", score: 0 }],
    });
    expect(outcome).toBe("ok");
    return commit;
  }
});

/** Makes a new definition whose number of properties and pattern states is close to the limits. No accepted schema is slower to compile. */
function dear(n: number): ToolDefinition {
  const plain = Array.from({ length: 1500 }, (_, i) => [`p${n}_${i}`, { type: "string" }] as const);
  const patterns = Array.from({ length: 4 }, (_, i) => [`q${n}_${i}`, { type: "string", pattern: `^([a-z]{1,100}x){10}${n}$` }] as const);
  return {
    name: "look_up",
    version: "1",
    description: "Looks something up.",
    parameters: { type: "object", properties: Object.fromEntries([...plain, ...patterns]) },
    kind: "read",
    risk: { tier: "low" },
    idempotency: { mode: "none" },
    timeoutMs: 5000,
    source: "notes",
  };
}

/** Returns a process's processor time in seconds so far, or 0 if the machine does not run Linux. */
function cpuSecondsOf(pid: number): number {
  try {
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
    return (user + system) / 100;
  } catch {
    return 0;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
