import { describe, expect, it } from "vitest";
import { readEntry } from "../memory/stored-entries.ts";
import { newConversation, withCalled } from "./conversation.ts";
import { asks, bundle, profile, RUN } from "../testing/test-bundle.ts";

const SECOND = "rn_03_01JD0000000000000000000002";
const limits = { ...profile.limits, maxTools: 1 };
const startOf = async (b: ReturnType<typeof bundle>, runId = RUN) => (await b.events(runId)).find(({ type }) => type === "run.started");

describe("a run that cannot be offered all of its tools", () => {
  it("records in its first event what was left out, and which service fits the message", async () => {
    const b = bundle({ profile: { limits } });
    await b.start({ text: "Change it." });
    expect(await startOf(b)).toMatchObject({
      tools: ["change"],
      choice: { matched: 2, leftOut: ["look"], services: [{ id: "toolset:test", tools: ["change", "look"] }] },
    });
  });

  it("puts the service before the model with the message, and people see the message without it", async () => {
    const b = bundle({ profile: { limits } });
    await b.start({ text: "Change it." });
    const [entry] = await b.transcript();
    expect(entry).toMatchObject({ type: "user", text: "Change it." });
    const shown = entry && (await readEntry(b.state, entry));
    expect(shown).toMatchObject({
      text: "Change it.\n\n[Note by Toolbus, not by the person: 1 of 2 tools are offered in this run. Best matches for this message: toolset:test (change, look).]",
    });
  });

  it("says the same of a run that waited for another one", async () => {
    const b = bundle({ profile: { limits } });
    await b.start({ text: "Change it." });
    await b.start({ runId: SECOND, entryId: SECOND, text: "Look at it." });
    await b.turn([], "Done.");
    expect(await startOf(b, SECOND)).toMatchObject({ tools: ["look"], choice: { leftOut: ["change"] } });
    expect((await b.transcript()).at(-1)).toMatchObject({
      text: "Look at it.",
      note: expect.stringContaining("toolset:test (look, change)"),
    });
    expect((await b.snapshot(SECOND)).run.value.choice).toBeUndefined();
  });

  it("remembers for later runs of the conversation which registered tools it called", async () => {
    const b = bundle({ profile: { limits } });
    await b.start({ text: "Change it." });
    await b.turn([asks("change", "w")]);
    expect((await b.snapshot()).conversation.value.called).toEqual(["change"]);
  });

  it("keeps the tools that it called last, however often it called them before", () => {
    let conversation = newConversation("cv_00_A");
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "a", "h", "i"]) conversation = withCalled(conversation, [name]);
    expect(conversation.called).toEqual(["i", "h", "a", "g", "f", "e", "d", "c"]);
    expect(withCalled(conversation, ["h", "a"])).toBe(conversation);
  });

  it("says nothing about a choice if every tool is offered", async () => {
    const b = bundle();
    await b.start({ text: "Change it." });
    expect(await startOf(b)).not.toHaveProperty("choice");
    expect((await b.transcript())[0]).not.toHaveProperty("note");
  });
});
