import { replayRecord } from "@toolbus/agent";
import { CONTEXT_STRATEGIES, keys, type Run } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { canonicalRuns } from "../kills/canonical-runs.ts";
import { planOf } from "../seeds/run-seed.ts";
import type { WorldPlan } from "../world/world-plan.ts";
import { quietPlan } from "../world/plan.ts";
import { runWorld, type WorldEnd } from "../world/world.ts";
import { type Kind, KINDS, kindsOf } from "./kinds-of-run.ts";
import { worldRecords } from "./world-records.ts";

/** CI and the long form replay the runs of three times as many worlds as `npm test`. */
const LONG = process.env["LONG_PROOFS"] !== undefined;

describe("a replay of a run of real services", () => {
  it("is byte-equal for runs of every kind, with faults, kills and several agents", { timeout: 240_000 }, async () => {
    const found = new Map<Kind, number>();
    const different: string[] = [];
    let runs = 0;
    let kills = 0;
    for (const seed of SEEDS) {
      const end = await runWorld(busyPlan(seed));
      kills += end.injected.kill;
      runs += await replayAll(`seed ${seed}`, end, { found, different });
    }
    expect(different).toEqual([]);
    expect(runs).toBeGreaterThanOrEqual(LONG ? 100 : 33);
    expect(kills).toBeGreaterThanOrEqual(LONG ? 10 : 3);
    expect(KINDS.filter((kind) => kind !== "seed round" && (found.get(kind) ?? 0) < (LONG ? 3 : 1))).toEqual([]);
  });

  it(
    "is byte-equal for the canonical runs, if agents are killed while the model answers and others take over",
    { timeout: 120_000 },
    async () => {
      const seen = { found: new Map<Kind, number>(), different: [] as string[] };
      let kills = 0;
      let takenOver = 0;
      for (const { name, plan } of canonicalRuns) {
        const quiet = await runWorld(plan);
        await replayAll(`${name}, quiet`, quiet, seen);
        const killed = new Set<string>();
        const end = await runWorld(plan, {
          step({ label }, deployment) {
            const agent = /^(agent-\d+\.\d+): model /.exec(label)?.[1];
            const asking = killed.size < 2 ? deployment.alive.find((process) => process.name === agent) : undefined;
            if (!asking || killed.has(asking.name)) return;
            killed.add(asking.name);
            deployment.kill(asking, 1000);
          },
        });
        await replayAll(`${name}, killed`, end, seen);
        kills += killed.size;
        // A step that was not committed before the kill leaves no trace in the number of steps.
        if (epochsOf(end) > epochsOf(quiet)) takenOver++;
      }
      expect(seen.different).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(canonicalRuns.length);
      expect(takenOver).toBeGreaterThanOrEqual(3);
    },
  );

  it("is byte-equal if two events of the log are a millisecond in the wrong order", async () => {
    const seen = { found: new Map<Kind, number>(), different: [] as string[] };
    // Which seed has such a log changes with the number of reads of a run.
    for (let seed = 30; seed <= 200; seed++) {
      const end = await runWorld(planOf(seed, { linger: false, variant: "local-tools" }));
      const { records } = await worldRecords(end);
      if (!records.some(({ events }) => events.some(({ at }, n) => at < (events[n - 1]?.at ?? 0)))) continue;
      await replayAll("an agent that advanced the store's time by itself", end, seen);
      expect(seen.different).toEqual([]);
      return;
    }
    expect.fail("no seed has two events in the wrong order");
  });

  it(
    "is byte-equal for shortened conversations in every order of failures, kills, cancels and summaries",
    { timeout: 120_000 },
    async () => {
      const seen = { found: new Map<Kind, number>(), different: [] as string[] };
      const shortened = { turns: 0, summaries: 0 };
      for (const seed of SHORTENED) {
        const end = await runWorld(shortenedPlan(seed));
        await replayAll(`seed ${seed}`, end, seen);
        for (const { events } of (await worldRecords(end)).records)
          for (const event of events) {
            if (event.type !== "turn" || !event.pruned) continue;
            shortened.turns++;
            if (event.pruned.summary) shortened.summaries++;
          }
      }
      expect(seen.different).toEqual([]);
      expect(shortened.turns).toBeGreaterThanOrEqual(LONG ? 300 : 100);
      expect(shortened.summaries).toBeGreaterThanOrEqual(LONG ? 30 : 10);
    },
  );

  it("is byte-equal for a write that was approved, and whose grant approvals did not renew in the end", async () => {
    const seen = { found: new Map<Kind, number>(), different: [] as string[] };
    const end = await runWorld(planOf(2246, { linger: true, variant: "taken-over" }));
    await replayAll("taken over", end, seen);
    const { records } = await worldRecords(end);
    const lapsed = records.flatMap(({ calls }) => calls.filter(({ result }) => result?.error?.code === "approval_expired"));
    expect(lapsed.filter(({ approvedBy }) => approvedBy !== undefined).length).toBeGreaterThan(0);
    expect(seen.different).toEqual([]);
  });

  it("is byte-equal for a run that begins with fixed calls", async () => {
    const plan = quietPlan("fixed calls", [[{ name: "low_key", n: 2 }]]);
    const seeded: WorldPlan = {
      ...plan,
      settings: {
        ...plan.settings,
        profile: { ...plan.settings.profile, seedCalls: [{ tool: "look_up", argumentsFromInput: { to: "releaseId" } }] },
      },
    };
    const seen = { found: new Map<Kind, number>(), different: [] as string[] };
    await replayAll("fixed calls", await runWorld(seeded), seen);
    expect(seen.different).toEqual([]);
    expect(seen.found.get("seed round")).toBe(1);
  });

  it.each(CONTEXT_STRATEGIES)("is byte-equal for a conversation that is too long for the model, shortened by %s", async (strategy) => {
    const plan = quietPlan("too long", [[{ name: "look_up", n: 1 }], [{ name: "add_up", n: 2 }]]);
    const profile = { ...plan.settings.profile, context: { strategy, maxMessages: 5 } };
    const short: WorldPlan = { ...plan, settings: { ...plan.settings, profile }, requests: [{ name: "v0", messages: 8 }] };
    const seen = { found: new Map<Kind, number>(), different: [] as string[] };
    const end = await runWorld(short);
    // Some messages find the conversation busy, and their runs fail.
    expect(await replayAll("too long", end, seen)).toBe(8);
    expect(seen.different).toEqual([]);
    const { records } = await worldRecords(end);
    const turns = records.flatMap(({ events }) => events.filter(({ type }) => type === "turn"));
    expect(turns.filter((turn) => "pruned" in turn).length).toBeGreaterThanOrEqual(3);
    // If the model's own window was too short, no part of the log says why.
    for (const record of records) {
      const { context: _, ...rest } = record.profile?.profile ?? {};
      expect((await replayRecord({ ...record, profile: record.profile && { ...record.profile, profile: rest } })).difference).toBeNull();
    }
  });
});

/**
 * The worlds of conversations that are shortened. In 117 and 118, the renewed grant of a write was void, which no event says. In 37 and 133, a summary used up
 * the budget.
 */
const SHORTENED = [...Array.from({ length: LONG ? 30 : 10 }, (_, n) => n + 1), 37, 117, 118, 133];

/** Returns the world of a seed whose conversations are too long from the second message on. */
function shortenedPlan(seed: number): WorldPlan {
  const plan = planOf(seed, { linger: false });
  const strategy = CONTEXT_STRATEGIES[seed % CONTEXT_STRATEGIES.length] ?? "truncation";
  const profile = { ...plan.settings.profile, context: { strategy, maxMessages: 5 } };
  const requests = [0, 1].map((n) => ({ name: `v${n}`, messages: 4 }));
  return { ...plan, settings: { ...plan.settings, profile }, requests };
}

const SEEDS = Array.from({ length: LONG ? 75 : 25 }, (_, n) => n + 1);

/** Returns the world of a seed with more messages than it has, and people who decide in every way. */
function busyPlan(seed: number): WorldPlan {
  const plan = planOf(seed, { linger: false });
  const requests = [0, 1].map((n) => ({ name: `v${n}`, messages: 3 }));
  return { ...plan, requests, habits: { ...plan.habits, denies: 0.15, revises: 0.3, edits: 0.8 } };
}

interface Seen {
  readonly found: Map<Kind, number>;
  readonly different: string[];
}

/** Replays every run of a world. Returns their number. */
async function replayAll(what: string, end: WorldEnd, { found, different }: Seen): Promise<number> {
  const { records, refused } = await worldRecords(end);
  different.push(...refused.map((why) => `${what}: ${why}`));
  for (const record of records) {
    const { difference } = await replayRecord(record);
    if (difference) different.push(`${what}, ${record.run.runId}: ${difference.where} ${difference.number} ${difference.member}`);
    for (const kind of kindsOf(record)) found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  return records.length;
}

/** Returns how many steps were begun in a world. If another process takes a run over, it begins a step again. */
function epochsOf({ facts }: WorldEnd): number {
  return [...facts.accepted].reduce((sum, runId) => sum + ((facts.documents.get(keys.run(runId)) as unknown as Run).epoch ?? 0), 0);
}
