import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { SeedCall } from "../profile.ts";
import { loadProfiles } from "../profiles/load-profiles.ts";
import { acquire } from "./acquire.ts";
import { seedId, seedPlan, seedTurn } from "./seed.ts";
import { asks, type Bundle, bundle, ok, profile as bundleProfile, RUN } from "../testing/test-bundle.ts";
import { commitTurn } from "./turn.ts";

const SECOND = "rn_03_01JD0000000000000000000002";

describe("seed calls", () => {
  it("take their arguments from the run's input", async () => {
    const profile = (await loadProfiles("")).get("release-investigation");
    if (!profile) throw new Error("it is built in");
    const tools = [tool("get_release_summary")];
    expect(seedTurn(profile, { input: { releaseId: "v2" }, tools, ordinal: 1 }).calls).toEqual([
      { id: "seed_get_release_summary", name: "get_release_summary", arguments: '{"release_id":"v2"}' },
    ]);
  });

  it("find their arguments anywhere in the input, and in no inherited member", () => {
    const input = { alert: { labels: { release: "v2", n: [1] } } };
    expect(plan([{ tool: "look", argumentsFromInput: { r: "alert.labels.release", n: "alert.labels.n" } }], input).calls).toMatchObject([
      { arguments: '{"n":[1],"r":"v2"}' },
    ]);
    expect(plan([{ tool: "look", argumentsFromInput: { r: "alert.constructor" } }], input).calls).toEqual([]);
  });

  it("have ids that no later run of the conversation uses again", async () => {
    expect([seedId("look", 1), seedId("look", 2), seedId("look", 3)]).toEqual(["seed_look", "seed_look-r2", "seed_look-r3"]);
    const b = bundle({ profile: { seedCalls: [{ tool: "look", argumentsFromInput: { n: "n" } }] } });
    await b.start({ input: { n: 3 } });
    await seeded(b);
    await b.answer(0, ok("three"));
    await b.turn([], "Done.");
    await b.start({ runId: SECOND, entryId: SECOND, input: { n: 3 } });
    await seeded(b, SECOND);
    expect((await b.transcript()).flatMap((entry) => (entry.type === "assistant" ? entry.calls.map(({ id }) => id) : []))).toEqual([
      "seed_look",
      "seed_look-r2",
    ]);
  });

  it("have separate ids when a tool is seeded twice, and none that another tool or run can have", () => {
    const seeds = ["a", "b"].map((path): SeedCall => ({ tool: "look", argumentsFromInput: { s: path } }));
    const input = { a: "1", b: "2" };
    const ids = [1, 2, 3].flatMap((ordinal) => plan(seeds, input, ordinal).calls.map(({ id }) => id));
    expect(ids).toEqual(["seed_look", "seed_look-2", "seed_look-r2", "seed_look-2-r2", "seed_look-r3", "seed_look-2-r3"]);
    expect(seedId("look_2", 1)).not.toBe(seedId("look", 2));
  });

  it("are left out when the input lacks a value, when the run lacks the tool, and when the same call is made already", () => {
    const seeds: SeedCall[] = [
      { tool: "look", argumentsFromInput: { s: "a" } },
      { tool: "look", argumentsFromInput: { s: "also.a" } },
      { tool: "look", argumentsFromInput: { s: "b" } },
      { tool: "look", argumentsFromInput: {}, when: "b" },
      { tool: "fly", argumentsFromInput: {} },
    ];
    const { calls, skipped } = plan(seeds, { a: "1", also: { a: "1" } });
    expect(calls).toHaveLength(1);
    expect(skipped).toEqual([
      { tool: "look", why: "the same call is already made" },
      { tool: "look", why: "the input has no b" },
      { tool: "look", why: "the input has no b" },
      { tool: "fly", why: "the run has no such tool" },
    ]);
  });

  it("need no separate round when none of them can be made: the model is asked at once", async () => {
    const b = bundle({ profile: { seedCalls: [{ tool: "look", argumentsFromInput: { n: "n" } }] } });
    await b.start({ input: {} });
    expect((await b.snapshot()).run.value.round).toBe(1);
  });

  it("are in the transcript as a turn and its results before the model is asked, under both ids", async () => {
    const b = bundle({ profile: { seedCalls: [{ tool: "look", argumentsFromInput: { n: "n" } }] } });
    await b.start({ input: { n: 3 } });
    const { run } = await b.snapshot();
    expect(run.value.round).toBe(0);
    await seeded(b);
    await b.answer(0, ok("three"));
    expect((await b.transcript()).slice(1)).toMatchObject([
      { type: "assistant", round: 0, provider: "toolbus", calls: [{ id: "seed_look", callId: `${run.value.runId}.0.0` }] },
      { type: "result", round: 0, id: "seed_look", callId: `${run.value.runId}.0.0`, content: "three" },
    ]);
    expect((await b.snapshot()).run.value).toMatchObject({ status: "ready", round: 1, usage: { modelCalls: 0, toolCalls: 1 } });
    await b.turn([asks("look")]);
    expect((await b.snapshot()).run.value.usage.modelCalls).toBe(1);
  });
});

/** Runs the step of a run that makes its seed calls. */
async function seeded(b: Bundle, runId = RUN): Promise<void> {
  const got = acquire(await b.snapshot(runId), { by: "m", redelivered: false }, b.rules);
  if (got.kind !== "acquired") throw new Error(got.kind);
  await b.commit(got.change);
  const profile = b.rules.profile("test");
  if (!profile) throw new Error("no profile");
  await b.commit(commitTurn({ snapshot: await b.snapshot(runId), epoch: 1, turn: seedTurn(profile, got.run), tools: b.tools }, b.rules));
}

const tool = (name: string) => ({ name, version: "1", hash: name, toolset: "test" });

function plan(seedCalls: readonly SeedCall[], input: JsonObject, ordinal = 1) {
  return seedPlan({ ...bundleProfile, seedCalls }, { input, tools: [tool("look")], ordinal });
}
