import { compareVariant, replayRecord, type Variant } from "@toolbus/agent";
import type { RunRecord } from "@toolbus/contracts";
import type { ModelProvider, ModelReply, ModelRequest } from "@toolbus/models";
import { offlineModel } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import { quietPlan } from "../world/plan.ts";
import { runWorld } from "../world/world.ts";
import { worldRecords } from "./world-records.ts";

const signal = new AbortController().signal;

async function recorded(): Promise<RunRecord> {
  const turns = [[{ name: "look_up", n: 1 }], [{ name: "low_key", n: 2 }], [{ name: "look_up", n: 3 }]];
  const { records } = await worldRecords(await runWorld(quietPlan("variants", turns)));
  const [record] = records;
  if (!record) throw new Error("The world has no run.");
  return record;
}

const compared = async (variant: Variant) => {
  const { turns, end } = await compareVariant(await recorded(), variant, signal);
  return { differs: turns.map(({ round, differs }) => [round, ...differs]), notRecorded: turns.map((turn) => turn.notRecorded), end };
};

/** Returns a model that answers with these turns and keeps what it was asked. */
function scripted(turns: readonly Pick<ModelReply, "text" | "calls">[]): ModelProvider & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    ...offlineModel(),
    name: "other",
    model: "other-1",
    asked,
    complete(request) {
      asked.push(request);
      const { text, calls } = turns[asked.length - 1] ?? { text: "Done.", calls: [] };
      return Promise.resolve({
        text,
        calls,
        stop: calls.length > 0 ? "tool_use" : "end_turn",
        usage: { inputTokens: 1, outputTokens: 1 },
        model: "other-1",
      });
    },
  };
}

const call = (name: string, n: number) => ({ id: `c-${name}-${n}`, name, arguments: JSON.stringify({ n }) });

describe("a replay with something else than the run had", () => {
  it("is equal if nothing that the model sees has changed", async () => {
    expect(await compared({ tools: [{ name: "look_up", owner: "somebody" }] })).toEqual({
      differs: [[1], [2], [3], [4]],
      notRecorded: [[], [], [], []],
      end: [],
    });
  });

  it("finds a changed description in the turns that were offered it, and only there", async () => {
    const { differs, end } = await compared({ tools: [{ name: "look_up", description: "Looks up what is known of a number." }] });
    expect(differs).toEqual([1, 2, 3, 4].map((round) => [round, "The tool look_up has another description."]));
    expect(end).toEqual([]);
  });

  it("finds the turn in which a changed schema refuses a call", async () => {
    const parameters = { type: "object", properties: { n: { type: "integer", maximum: 1 } }, additionalProperties: false };
    const { differs } = await compared({ tools: [{ name: "low_key", parameters }] });
    expect(differs[0]).toEqual([1, expect.stringMatching(/^The tool low_key has another parameters/)]);
    expect(differs[1]).toHaveLength(2);
    // The result of round 2 is in what the model is asked from round 3 on.
    expect(differs[2]?.join(" ")).toContain("The transcript differs");
    expect(differs[2]?.join(" ")).toContain("low_key");
  });

  it("finds another prompt in every turn, and another profile where its limits end the run", async () => {
    const { differs } = await compared({ prompt: "A scripted model reads no prompt at all." });
    expect(differs).toEqual([1, 2, 3, 4].map((round) => [round, "The system prompt differs from character 33 on."]));
    const record = await recorded();
    const profile = { ...(record.profile?.profile as unknown as NonNullable<Variant["profile"]>) };
    const shorter = await compareVariant(record, { profile: { ...profile, limits: { ...profile.limits, maxRounds: 2 } } }, signal);
    expect(shorter.turns.map(({ differs: said }) => said)).toEqual([
      [],
      [],
      ["The run has no such turn any more."],
      ["The run has no such turn any more."],
    ]);
    expect(shorter.end).toEqual(["The run ends with run.failed (round_limit), and ended with run.completed."]);
  });

  it("asks another model, gives it the recorded results of equal calls, and says where it diverges", async () => {
    const model = scripted([
      { text: "", calls: [call("look_up", 1)] },
      { text: "", calls: [call("low_key", 99), call("look_up", 1)] },
    ]);
    const { differs, notRecorded, end } = await compared({ model });
    expect(differs).toEqual([
      [1],
      [2, 'It calls low_key {"n":99,"to":"nobody"}, look_up {"n":1,"to":"nobody"}, and called low_key {"n":2,"to":"nobody"}.'],
      [3, 'It calls nothing, and called look_up {"n":3,"to":"nobody"}.', "Its text differs."],
      [4, "The run has no such turn any more."],
    ]);
    expect(notRecorded).toEqual([[], ["low_key"], [], []]);
    expect(end).toEqual([]);
    const results = model.asked.at(-1)?.transcript.flatMap((entry) => (entry.type === "result" ? [[entry.name, entry.content]] : []));
    expect(results).toHaveLength(3);
    expect(results?.[1]?.[1]).toContain("not_recorded");
    expect(results?.[2]?.[1]).toBe(results?.[0]?.[1]);
  });

  it("asks no model for the replay of the log itself", async () => {
    const record = await recorded();
    const { asked, difference } = await replayRecord(record);
    expect(difference).toBeNull();
    expect(asked.map(({ round }) => round)).toEqual([1, 2, 3, 4]);
  });
});
