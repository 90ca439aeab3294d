import { isRunEnd, type RunEvent, type ToolRights } from "@toolbus/contracts";
import type { ModelRequest } from "@toolbus/models";
import { defineTool } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { conversationUnderTest } from "./testing/conversation-under-test.ts";

/**
 * Starts a worker with two reads. One demands no scope, the other demands the scope "payroll". The model calls the second one even if it was not
 * offered.
 */
async function setup(rights: ToolRights, called = "read_salary") {
  const offered: string[][] = [];
  const ran: string[] = [];
  const tool = (name: string, scopes?: readonly string[]) =>
    defineTool({
      name,
      kind: "read",
      description: "Reads.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
      ...(scopes ? { scopes } : {}),
      run: () => ({ runs: ran.push(name) }),
    });
  const script = ({ transcript, tools }: ModelRequest) => {
    offered.push(tools.map(({ name }) => name).filter((name) => name !== "ask_user"));
    return transcript.at(-1)?.type === "user" ? [{ name: called, arguments: "{}" }] : "Done.";
  };
  const t = await conversationUnderTest(Date.now, script, { tools: [tool("read_weather"), tool("read_salary", ["payroll"])], rights });
  return { t, offered, ran };
}

const resolved = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === "call.resolved" ? [event] : []));

describe("a run", () => {
  it.each([
    ["lacks the scope of a tool", { scopes: ["tools:read"] }, ["read_weather"], /lacks the scope .*payroll/],
    ["has a key for one tool", { scopes: ["payroll"], tools: ["test/read_weather"] }, ["read_weather"], /key may not use .*read_salary/],
    ["has a key for another toolset", { scopes: ["payroll"], tools: ["web"] }, [], /key may not use .*read_salary/],
  ])(
    "is not offered what its requester may not use, and its model is refused it, when the requester %s",
    async (_, rights, names, words) => {
      const { t, offered, ran } = await setup(rights);
      await using _t = t;
      await t.say(1, "What does Ada earn?");
      expect(await t.ended(1)).toMatchObject({ type: "run.completed" });
      expect(offered).toEqual([names, names]);
      expect(resolved(await t.events(1))).toMatchObject([{ tool: "read_salary", status: "denied", content: expect.stringMatching(words) }]);
      expect(ran).toEqual([]);
    },
  );

  it("is offered all that its requester may use", async () => {
    const { t, offered, ran } = await setup({ scopes: ["payroll"], tools: ["test"] });
    await using _t = t;
    await t.say(1, "What does Ada earn?");
    await t.sees(1, isRunEnd);
    expect(offered[0]?.toSorted()).toEqual(["read_salary", "read_weather"]);
    expect(ran).toEqual(["read_salary"]);
  });

  it("learns that a tool does not exist, whatever its requester may use", async () => {
    const { t } = await setup({ scopes: [], tools: ["web"] }, "read_minds");
    await using _t = t;
    await t.say(1, "What does Ada think?");
    await t.ended(1);
    expect(resolved(await t.events(1))).toMatchObject([{ tool: "read_minds", status: "unknown_tool" }]);
  });
});
