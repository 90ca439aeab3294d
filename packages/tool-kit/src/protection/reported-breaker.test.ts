import { memoryBus } from "@toolbus/bus";
import { availabilityOf } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { keepPresent } from "../registry/toolset-presence.ts";
import { readRegistry } from "../registry/read-registry.ts";
import { approvalsKeys } from "../testing/bench.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";
import { breakerRules } from "./breaker.ts";
import { openProtection } from "./protection.ts";

/** A worker of a toolset with a read of the shop and a read of the bank, whose check says what `check.why` says. */
async function setup(seenEveryMs: number) {
  await using begun = new AsyncDisposableStack();
  const bus = memoryBus();
  begun.defer(() => bus.close());
  let now = 0;
  let wake = Promise.withResolvers<void>();
  const store = memoryStore({ clock: () => 1000 });
  const state: StateStore = {
    ...store,
    async commit(shard, change) {
      const reply = await store.commit(shard, change);
      wake.resolve();
      wake = Promise.withResolvers();
      return reply;
    },
  };
  const read = (name: string, dependency: string) =>
    defineTool({
      name,
      kind: "read",
      description: "Reads.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      dependencies: [{ name: dependency }],
      run: () => 1,
    });
  const check: { why: string | null } = { why: null };
  const tools = toolset({
    name: "orders",
    tools: [read("look_up", "shop"), read("get_balance", "bank")],
    unavailable: () => check.why,
    examples: () => ({ look_up: {} }),
  });
  const monotonic = () => now;
  const protection = openProtection({ monotonic, log: silentLog });
  const common = { clock: () => 1000, monotonic, log: silentLog, random: () => new Uint8Array(8) };
  const presence = await keepPresent(bus, { toolset: tools, state, keys: approvalsKeys, protection, seenEveryMs, ...common });
  begun.defer(() => presence.stop());
  const registered = async () =>
    (await readRegistry(state)).map((one) => `${one.definition.name} ${availabilityOf(one, 1000)} ${one.unavailable?.reason ?? ""}`.trim());
  const open = begun.move();
  return {
    check,
    protection,
    tools,
    tick: (ms: number) => void (now += ms),
    /** Lets the shop fail until its breaker opens. */
    async fail() {
      const { definition } = tools.find("look_up") ?? {};
      for (let n = 0; definition && n < breakerRules.failures; n++) {
        const entry = await protection.enter({ definition, hasCheck: true, signals: [] });
        if (entry.kind === "entered") entry.pass.saw({ kind: "problem", problem: toolError("unavailable", "Down.") });
      }
    },
    /** Resolves when the registry says this. */
    async until(...lines: readonly string[]) {
      for (;;) {
        const changed = wake.promise;
        if ((await registered()).toSorted().join() === lines.toSorted().join()) return;
        await changed;
      }
    },
    examples: async () => (await readRegistry(state)).map(({ example }) => example),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

const FAILS = 'look_up unavailable The dependency "shop" fails. The worker tries it again by itself.';

describe("a worker whose dependency fails", () => {
  it("says so in the registry at once and not with its next heartbeat, only for the tools of the dependency", async () => {
    await using worker = await setup(3_600_000);
    await worker.until("look_up ready", "get_balance ready");
    await worker.fail();
    await worker.until(FAILS, "get_balance ready");
    // The report does not take the arguments that work from the list of tools.
    expect(await worker.examples()).toEqual([undefined, "{}"]);
  });

  it("says that its tools are ready again when its own check passes after the time of the breaker", async () => {
    await using worker = await setup(5);
    await worker.fail();
    await worker.until(FAILS, "get_balance ready");
    worker.tick(breakerRules.openMs);
    await worker.until("look_up ready", "get_balance ready");
    expect(worker.protection.isTroubled(worker.tools)).toBe(false);
  });

  it("keeps its breaker open as long as its own check fails", async () => {
    await using worker = await setup(5);
    await worker.fail();
    worker.check.why = "The shop does not answer.";
    worker.tick(breakerRules.openMs);
    await worker.until("look_up unavailable The shop does not answer.", "get_balance unavailable The shop does not answer.");
    worker.check.why = null;
    await worker.until(FAILS, "get_balance ready");
  });
});
