import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { approvalIdOf, callIdOf, HOME_SHARD, type Json, keys, type Registration, type ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { connectState, type StateStore } from "@toolbus/state";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, openArena } from "../../redteam/arena.ts";
import { ask } from "../../redteam/http.ts";
import { othersRuns } from "../../redteam/others-runs.ts";
import { type Broker, startSystemUnderAttack, type SystemUnderAttack } from "../../redteam/system.ts";
import { textIn } from "../../redteam/text-in.ts";
import { watchedHealth } from "../../redteam/watched-health.ts";

/** A pattern for which a backtracking engine needs two to the power of forty steps on the text below. */
const ENDLESS = "^(a+)+$";
const PUMPED = `${"a".repeat(40)}!`;

const LIST = [
  // Toolbus accepts these two, because it matches patterns without backtracking.
  hostile("read_slowly", "read", { properties: { q: { type: "string", pattern: ENDLESS } } }),
  hostile("pay_slowly", "write", {}, { properties: { q: { type: "string", pattern: ENDLESS } } }),
  // Toolbus refuses the others, each for a different reason.
  hostile("read_later", "read", { $async: true, properties: { q: { type: "integer" } } }),
  hostile("pay_later", "write", {}, { $async: true, properties: { q: { type: "integer" } } }),
  hostile("read_around", "read", { properties: { q: { type: "string", pattern: "a(?<=(a+)+)b" } } }),
  hostile("read_elsewhere", "read", { properties: { q: { $ref: "http://127.0.0.1:9/schema.json" } } }),
  hostile("read_often", "read", {
    properties: { q: { $ref: "#/$defs/0" } },
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [n, n === 29 ? {} : { allOf: [{ $ref: `#/$defs/${n + 1}` }, { $ref: `#/$defs/${n + 1}` }] }]),
    ),
  }),
] as const;
const REFUSED = ["pay_later", "read_around", "read_elsewhere", "read_later", "read_often"];

/** Tests the attack and its outcome, with every service in a separate process. */
export function describeHostileSchemas(broker: Broker): void {
  describe(`a worker's login registers hostile tool schemas, on ${broker}`, () => {
    let system: SystemUnderAttack;
    let arena: Arena;
    let store: StateStore;
    let health: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const port = await freePort();
      system = await startSystemUnderAttack(broker, "own", {
        enabled: LIST.filter(({ kind }) => kind === "write"),
        modules: { agent: path.join(import.meta.dirname, "../../redteam/service-with-health.ts") },
        env: { HEALTH_PORT_OF_agent: String(port) },
      });
      arena = await openArena(system);
      const { stateUrl } = system.addressesOf("worker-payments");
      store = await connectState(stateUrl, { clock: Date.now });
      health = {
        agent: `http://127.0.0.1:${port}/healthz`,
        approvals: arena.approvals("/healthz"),
        gateway: arena.gateway("/healthz"),
      };
    });
    afterAll(async () => {
      await store?.close();
      await arena?.close();
      await system?.stop();
    });

    it("ends their calls but no process: every /healthz answers within a second, and other users' runs continue", async () => {
      await registerAll();
      const watch = watchedHealth(health);
      const others = othersRuns(arena);
      // A backtracking engine would never finish on this value, neither for a parameter nor for a risk rule.
      const [slow] = await resultsOf("rita", "read_slowly", { q: PUMPED });
      expect(slow).toMatchObject({ status: "validation_error" });
      // The risk rule does not match the first value. The rule matches the second value, so approvals asks people.
      for (const [q, tier] of [
        [PUMPED, "low"],
        ["aaa", "critical"],
      ] as const) {
        const approvalId = approvalIdOf(callIdOf(await begun("rita", `pay_slowly ${JSON.stringify({ q })}`), 1, 0));
        const judged = () => system.lines().find((line) => line.includes(approvalId) && line.includes("a write asked for a grant")) ?? null;
        expect(await arena.until(`approvals to judge ${q}`, judged)).toContain(`"tier":"${tier}"`);
      }
      // Arguments that break an asynchronous schema used to cause an unhandled rejection.
      for (const tool of REFUSED)
        expect((await resultsOf("rita", tool, { q: "no number" })).filter(({ status }) => status === "ok")).toEqual([]);
      const ends = await others.end();
      const { slowest, failed } = await watch.end();
      console.log(`slowest /healthz: ${JSON.stringify(slowest)}; ${ends.length} runs of others, each done`);
      expect(failed).toEqual([]);
      for (const ms of Object.values(slowest)) expect(ms).toBeLessThan(1000);
      expect(ends.length).toBeGreaterThan(3);
      expect(ends.filter((end) => end !== "run.completed ok")).toEqual([]);
      expect(system.apart.replicas().filter(({ process }) => !process.alive())).toEqual([]);
    });

    it("shows an operator which tool, where and why, and the toolset's other tools are unaffected", async () => {
      const { body } = await ask(arena.gateway("/v1/tools"), system.people.rita);
      const tools = body["tools"] as unknown as readonly {
        name: string;
        available: boolean;
        quarantined?: { pointer: string; reason: string };
      }[];
      expect(tools.filter(({ quarantined }) => quarantined).map(({ name }) => name)).toEqual(REFUSED);
      expect(tools.find(({ name }) => name === "read_around")).toMatchObject({
        available: false,
        parameters: { type: "object" },
        quarantined: { pointer: "/parameters/properties/q/pattern", reason: expect.stringContaining("looks around") },
      });
      expect(tools.find(({ name }) => name === "read_balance")).toMatchObject({ available: true });
      const said = system.lines().join("\n");
      expect(said).toMatch(/agent: .*\\"read_later@1\\" is quarantined: its definition is refused at \/parameters\/\$async\./);
      expect(said).toMatch(/approvals: .*\\"pay_later@1\\" is quarantined: its definition is refused at \/risk\/rules\/0\/when\/\$async\./);
      const definition = LIST.find(({ name }) => name === "pay_later");
      const enabled = await ask(arena.approvals("/v1/writes/pay_later/enable"), system.people.operator, {
        toolset: "payments",
        hash: definition && toolHash(definition),
      });
      expect(enabled).toMatchObject({ status: 409, body: { detail: expect.stringContaining('"pay_later@1" is quarantined') } });
    });

    it("has no more effect after a restart", async () => {
      for (const service of ["agent", "approvals"] as const) await system.apart.restart(service, 1);
      const [slow] = await resultsOf("rita", "read_slowly", { q: PUMPED });
      expect(slow).toMatchObject({ status: "validation_error" });
      expect(await resultsOf("rita", "read_balance", { payee: "BAKERY", amount: 1 })).toMatchObject([{ status: "ok" }]);
    });

    /** Registers the tools as an attacker who has the worker's login but does not run the worker's code. */
    async function registerAll(): Promise<void> {
      const now = Date.now();
      const reply = await store.commit(HOME_SHARD, {
        op: `hostile:${now}`,
        guards: LIST.map(({ name }) => ({ key: keys.registration("payments", name, "1"), version: 0 })),
        put: LIST.map((definition) => {
          const value: Registration = { toolset: "payments", definition, hash: toolHash(definition), registeredAt: now, lastSeenAt: now };
          return { key: keys.registration("payments", definition.name, "1"), value: value as unknown as Json };
        }),
        index: LIST.map(({ name }) => ({ index: keys.registryIndex(), member: `payments/${name}@1`, score: 0 })),
      });
      expect(reply.outcome).toBe("ok");
    }

    async function begun(who: "rita" | "clerk", text: string): Promise<string> {
      const key = system.people[who];
      const said = await ask(arena.gateway("/v1/conversations"), key, { profile: "direct" });
      const { body } = await ask(arena.gateway(`/v1/conversations/${textIn(said.body["conversationId"])}/messages`), key, { text });
      return textIn(body["runId"]);
    }

    /** Returns the results of a run's calls, once the run has ended. */
    async function resultsOf(who: "rita" | "clerk", tool: string, args: object): Promise<readonly { readonly status: string }[]> {
      const events = await arena.ended(await begun(who, `${tool} ${JSON.stringify(args)}`));
      return events.flatMap((event) => (event.type === "call.resolved" ? [event] : []));
    }
  });
}

function hostile(name: string, kind: "read" | "write", parameters: object, when?: object): ToolDefinition {
  const any = { type: "object", properties: { q: { type: "string" } } };
  return {
    name,
    version: "1",
    description: `Hostile: ${name}.`,
    parameters: { ...any, ...parameters } as ToolDefinition["parameters"],
    kind,
    risk: {
      tier: "low",
      ...(when ? { rules: [{ when: when as ToolDefinition["parameters"], tier: "critical", reason: "as it says" }] } : {}),
    },
    idempotency: { mode: "none" },
    timeoutMs: 5000,
    ...(kind === "write" ? { effect: "Pay {q}." } : {}),
    source: "payments",
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
