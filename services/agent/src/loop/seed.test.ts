import { describe, expect, it } from "vitest";
import { releaseInvestigation } from "../investigation/release-investigation.ts";
import { acquire } from "./acquire.ts";
import { seedId, seedTurn } from "./seed.ts";
import { asks, bundle, ok } from "./test-bundle.ts";
import { commitTurn } from "./turn.ts";

describe("seed calls", () => {
  it("take their arguments from the run's input", async () => {
    const b = bundle();
    await b.start({ input: { releaseId: "v2" } });
    const [call] = seedTurn(releaseInvestigation, (await b.snapshot()).run.value).calls;
    expect(call).toEqual({ id: "seed_get_release_summary", name: "get_release_summary", arguments: '{"release_id":"v2"}' });
  });

  it("have ids that no later run of the conversation uses again", () => {
    expect([seedId("look", 1), seedId("look", 2), seedId("look", 3)]).toEqual(["seed_look", "seed_look_2", "seed_look_3"]);
  });

  it("stand in the transcript as a turn and its results before the model is asked, under both ids", async () => {
    const b = bundle({ profile: { seedCalls: [{ tool: "look", argumentsFromInput: { n: "n" } }] } });
    await b.start({ input: { n: 3 } });
    const { run } = await b.snapshot();
    expect(run.value.round).toBe(0);
    const got = acquire(await b.snapshot(), { by: "m", redelivered: false }, b.rules);
    if (got.kind !== "acquired") throw new Error(got.kind);
    await b.commit(got.change);
    const profile = b.rules.profile("test");
    if (!profile) throw new Error("no profile");
    await b.commit(commitTurn({ snapshot: await b.snapshot(), epoch: 1, turn: seedTurn(profile, got.run), tools: b.tools }, b.rules));
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
