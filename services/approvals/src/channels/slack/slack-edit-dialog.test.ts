import type { JsonObject, ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks as asksPlan, plan, planned, plansUnderTest } from "../../testing/plans-under-test.ts";
import { ARGS, asks, payout, said, slackEditing } from "../../testing/slack-edits-under-test.ts";
import { filledIn } from "../../testing/slacked-under-test.ts";

const FORGED = "The inputs do not fit the dialog of this write, so nothing was changed: press the button again.";

describe("a write whose arguments Slack cannot show in a form", () => {
  const many = (count: number, property: JsonObject): ToolDefinition => ({
    ...payout,
    parameters: { type: "object", properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, property])) },
  });
  const options = (count: number, chars: number) => ({ enum: Array.from({ length: count }, (_, n) => String(n).padStart(chars, "x")) });

  it.each([
    ["a text of more than 3000 characters", payout, { ...ARGS, memo: "x".repeat(3001) }, "too long for Slack", true],
    ["more than 99 choices beside none", many(1, options(100, 3)), { a0: "xx0" }, "too long for Slack", true],
    ["a choice of more than 75 characters", many(1, options(2, 76)), {}, "too long for Slack", true],
    ["more than 32 arguments", many(33, {}), {}, "too many arguments for a form", false],
    ["no arguments", many(0, {}), {}, "no arguments that a form could show", false],
  ] as const)("because it has %s is edited elsewhere, and a sentence says where", async (_, tool, args, sentence, hasLink) => {
    const raised = { ...tool, risk: { tier: "high" as const } };
    await using s = await slackEditing({ tools: [raised], env: { APPROVALS_PUBLIC_URL: "https://approvals.example.com" } });
    const id = await s.t.hold(asks(1, args, raised));
    await s.press(id, "edit");
    expect(s.told()).toMatchObject({ user: "U1", text: expect.stringContaining(sentence) });
    expect(JSON.stringify(s.told()).includes(`"url":"https://approvals.example.com/approvals/${id}"`)).toBe(hasLink);
    expect(s.slack.of("views.open")).toEqual([]);
  });

  it("because its worker has planned it is edited elsewhere, also if a dialog comes", async () => {
    const other = { ...payout, name: "pay_out_twice" };
    await using s = await slackEditing({ tools: [planned, other] });
    const t = await plansUnderTest(s.t);
    const [id, second] = [await s.t.hold(asksPlan(100)), await s.t.hold(asks(2, ARGS, other))];
    await t.plans(id, asksPlan(100), plan(300, 200));
    await s.press(id, "edit");
    const sentence = `The worker plans this write again after an edit, so edit it on the approval page or with "toolbus approvals approve ${id} --edit".`;
    expect(s.told()).toMatchObject({ text: sentence });
    expect(JSON.stringify(s.told())).not.toContain('"url"');
    const sent = filledIn(await s.open(second), { v1: "60" }, "U1");
    const about = { approval: id, decision: "approve", edits: true, argumentsHash: (await s.t.stored(id)).argsHash };
    expect(said((await s.interact({ ...sent, view: { ...sent.view, private_metadata: JSON.stringify(about) } })).body)).toBe(sentence);
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("fits with 32 arguments, with 3000 characters and with 100 options", async () => {
    const [chosen, last] = [7, 98].map((n) => String(n).padStart(75, "x"));
    const properties = { ...(many(30, {}).parameters["properties"] as JsonObject), choice: options(99, 75), text: { type: "string" } };
    const wide = { ...payout, parameters: { type: "object", properties }, risk: { tier: "high" as const } };
    await using s = await slackEditing({ tools: [wide] });
    const args = { choice: chosen ?? "", text: "x".repeat(3000) };
    const id = await s.t.hold(asks(1, args, wide));
    const opened = await s.open(id);
    const { view } = opened as unknown as { readonly view: { readonly blocks: readonly unknown[] } };
    expect(view.blocks.length).toBeLessThanOrEqual(100);
    await s.submitDialog(opened, { v30: last ?? "" });
    expect(JSON.parse((await s.t.stored(id)).arguments)).toEqual({ ...args, choice: last });
  });
});

describe("a submission of an edit that no dialog of approvals could send", () => {
  it.each([
    ["an unknown input", { v9: { v9: { value: "1" } } }],
    ["an input of the page", { argumentsHash: { argumentsHash: { value: "1" } } }],
    ["a number that is not an option", { v2: { v2: { selected_option: { value: "2" } } } }],
    ["an option that is not a number", { v2: { v2: { selected_option: { value: "constructor" } } } }],
    ["a text for a select", { v2: { v2: { value: '"fast"' } } }],
    ["an option for a text", { v0: { v0: { selected_option: { value: "0" } } } }],
    ["another action", { v0: { v1: { value: "60" } } }],
    ["two actions", { v0: { v0: { value: "Bakery" }, v1: { value: "60" } } }],
    ["no action", { v0: {} }],
  ])("is refused with one sentence: %s", async (_, forged) => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const sent = filledIn(await s.open(id), { v1: "60" }, "U1");
    const values = { ...sent.view.state.values, ...forged };
    expect(said((await s.interact({ ...sent, view: { ...sent.view, state: { values } } })).body)).toBe(FORGED);
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it.each([
    ["a number as a text", { v1: { v1: { value: 60 } } }],
    ["more than 3000 characters", { v1: { v1: { value: "6".repeat(3001) } } }],
    ["an option that is a text", { v2: { v2: { selected_option: "1" } } }],
    ["an option with a number", { v2: { v2: { selected_option: { value: 1 } } } }],
    ["an option without a value", { v2: { v2: { selected_option: {} } } }],
    ["a list of actions", { v1: [] }],
  ])("is refused by the schema of interactions: %s", async (_, forged) => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const sent = filledIn(await s.open(id), { v1: "60" }, "U1");
    const values = { ...sent.view.state.values, ...forged };
    expect(await s.interact({ ...sent, view: { ...sent.view, state: { values } } })).toMatchObject({
      status: 400,
      body: { code: "invalid_request" },
    });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("is refused if it names arguments that the card never had, or none", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const sent = filledIn(await s.open(id), { v1: "60" }, "U1");
    for (const hash of [{ argumentsHash: "x" }, {}]) {
      const about = JSON.stringify({ approval: id, decision: "approve", edits: true, ...hash });
      expect(said((await s.interact({ ...sent, view: { ...sent.view, private_metadata: about } })).body)).toBe(FORGED);
    }
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });
});
