import { type ModelRequest, offlineModel } from "@toolbus/models";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "./scripted-model.ts";

const turns = [
  { text: "I look.", calls: [{ tool: "get_release_summary", arguments: { release_id: "v1" } }] },
  { text: "Done.", calls: [] },
];
const request = (run: Partial<ModelRequest["run"]>, told: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "",
  transcript: [{ type: "user", text: "Hello." }] as unknown as ModelRequest["transcript"],
  tools: [],
  maxTokens: 1000,
  run: { runId: "known", profile: "chat", round: 1, input: {}, ...run },
  ...told,
});
const context = () => {
  const texts: string[] = [];
  return { texts, context: { signal: new AbortController().signal, onText: (text: string) => void texts.push(text) } };
};
const model = scriptedModel(offlineModel(), async (runId) => (runId === "known" ? turns : null));

describe("a scripted model", () => {
  it("plays the turn of the round, and plays it again if the call is repeated", async () => {
    const { texts, context: told } = context();
    const first = await model.complete(request({}), told);
    expect(first).toMatchObject({
      text: "I look.",
      calls: [{ name: "get_release_summary", arguments: '{"release_id":"v1"}' }],
      stop: "tool_use",
      model: "scripted",
      usage: { costMicroUsd: 0 },
    });
    expect(await model.complete(request({}), told)).toEqual(first);
    expect(await model.complete(request({ round: 2 }), told)).toMatchObject({ text: "Done.", calls: [], stop: "end_turn" });
    expect(texts).toEqual(["I look.", "I look.", "Done."]);
  });

  it("calls nothing in a turn that may not call", async () => {
    expect(await model.complete(request({}, { toolChoice: "none" }), context().context)).toMatchObject({ calls: [], stop: "end_turn" });
  });

  it("ends a run that needs more turns than there are", async () => {
    await expect(model.complete(request({ round: 3 }), context().context)).rejects.toThrow(
      /has 2 turns of the model, and the run asks for turn 3/,
    );
  });

  it("asks the model in a run without turns, and never for a summary of a run with turns", async () => {
    expect(await model.complete(request({ runId: "other" }), context().context)).toMatchObject({ model: "rules-1" });
    const { round: _, ...summary } = request({}).run;
    expect(await model.complete({ ...request({}), run: summary }, context().context)).toMatchObject({ model: "scripted", calls: [] });
  });
});
