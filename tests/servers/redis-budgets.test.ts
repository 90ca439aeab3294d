import { agentSettings, budgets, originReader } from "@toolbus/agent";
import { keys, type RunOrigin, shardOf } from "@toolbus/contracts";
import { ownKeys, signDocument, signedReader } from "@toolbus/grants";
import { modelFacts } from "@toolbus/models";
import { readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { openStore, redisSpace } from "./redis-space.ts";

const own = await ownKeys(["gateway"]);
const CEILING = 10_000;
const runs = Array.from({ length: 8 }, (_, n) => `rn_0${n}_01JD000000000000000000000${n}`);

describeOnServer("redis", "a tenant's budget on Redis", (server) => {
  const space = redisSpace(server);

  it("holds if two processes draw on it at once, and opens for what is released", async () => {
    const url = space.urlOf("budgets");
    await using one = await openStore(url);
    await using two = await openStore(url);
    for (const runId of runs) await say(one.store, runId);
    const { now } = await one.store.read([keys.runOrigin(runs[0] ?? "")]);
    const processes = [budgetsOf(one.store), budgetsOf(two.store)];
    const draw = async (n: number, epoch: number) => {
      const step = { runId: runs[n % runs.length] ?? "", profile: "test", round: 1, epoch, stepStartedAt: now };
      const estimate = { provider: "offline", model: "rules-1", promptTokens: 300, maxTokens: 200, toolCalls: 0 };
      const its = processes[n % 2] ?? budgetsOf(one.store);
      return { its, answer: await its.reserve(step, () => estimate, new AbortController().signal) };
    };
    const first = await Promise.all(Array.from({ length: 40 }, (_, n) => draw(n, n + 1)));
    const taken = first.flatMap(({ its, answer }) => (answer.kind === "reserved" ? [{ its, answer }] : []));
    expect(taken).toHaveLength(CEILING / 500);
    const used = { usage: { inputTokens: 100, outputTokens: 0 }, toolCalls: 0 };
    await Promise.all(taken.map(({ its, answer }) => its.settle(answer, used)));
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => draw(n, n + 100)));
    // Twenty calls have used 100 tokens each. Of the 8,000 tokens that remain, 16 calls can reserve 500 each.
    expect(again.filter(({ answer }) => answer.kind === "reserved")).toHaveLength(16);
  });
});

/** Makes the budgets of one process. */
function budgetsOf(state: StateStore) {
  const config = readSettings(agentSettings, { BUDGET_TENANT_TOKENS_PER_DAY: String(CEILING) });
  const origins = originReader({ state, reader: signedReader({ typ: "tb-origin+jwt", keys: own.trusted.of("gateway") }), log: silentLog });
  return budgets({ state, origins, config, profile: () => undefined, factsOf: modelFacts, log: silentLog });
}

async function say(store: StateStore, runId: string): Promise<void> {
  const origin: RunOrigin = {
    runId,
    conversationId: runId.replace("rn_", "cv_"),
    tenant: "acme",
    principal: runId,
    scopes: [],
    agent: "default",
    messageHash: "hash",
    via: { kind: "http" },
    createdAt: 0,
    openUntil: 1,
  };
  const key = keys.runOrigin(runId);
  const value = await signDocument("tb-origin+jwt", { key, revision: 1, content: origin }, own.identityOf("gateway").signer);
  await store.commit(shardOf(runId), { op: `origin:${runId}`, guards: [{ key, version: 0 }], put: [{ key, value }] });
}
