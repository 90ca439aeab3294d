import { describe, expect, it } from "vitest";
import { ARGS, asks, payout, said, slackEditing } from "../../testing/slack-edits-under-test.ts";
import { type Filled, textsIn } from "../../testing/slacked-under-test.ts";

const UNCHANGED = "Nothing is changed: change an argument, or approve the write as it is.";

describe("an edit in Slack", () => {
  it("shows an input for each argument, decides nothing until it is submitted, and then approves exactly that", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const opened = await s.open(id);
    expect(opened).toMatchObject({ view: { callback_id: "toolbus:decide", title: { text: "Approve with changes?" } } });
    expect(textsIn(opened)).toEqual(expect.arrayContaining(["to", "amount", "speed", "quiet", "memo", "tags", "Who gets the money."]));
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    const answer = await s.submitDialog(opened, { v1: "60", v2: "fast", v3: "true", v4: "", v5: '["a", "b"]', comment: "Less." });
    expect([answer.status, said(answer.body)]).toEqual([
      200,
      "You approved this with other arguments. The write is now: Pay 60 to Bakery.",
    ]);
    const stored = await s.t.stored(id);
    const made = { approver: "amy", decision: "approve", via: "slack:T1", comment: "Less." };
    expect(stored).toMatchObject({ status: "approved", edited: { by: "amy" }, decisions: [made] });
    expect(JSON.parse(stored.arguments)).toEqual({ to: "Bakery", amount: 60, speed: "fast", quiet: true, tags: ["a", "b"] });
    expect((await s.t.decided.next()).body).toMatchObject({ outcome: "approved", effect: "Pay 60 to Bakery." });
  });

  it("gets the same outcome when its dialog is submitted again, also while another approver is missing", async () => {
    await using s = await slackEditing();
    const [one, two] = [await s.t.hold(asks(1)), await s.t.hold(asks(2))];
    const [first, second] = [await s.open(one), await s.open(two)];
    const raised = { v1: "5000", ticket: "OPS-1" };
    const answers = [await s.submitDialog(first, { v1: "60" }), await s.submitDialog(second, raised)];
    expect(said(answers[1]?.body)).toBe(
      "You approved this with other arguments. It needs another approver. The write is now: Pay 5000 to Bakery.",
    );
    await s.t.restart();
    expect([await s.submitDialog(first, { v1: "60" }), await s.submitDialog(second, raised)]).toEqual(answers);
    expect(said((await s.submitDialog(first, { v1: "61" })).body)).toBe('You have already decided "approve", and a person decides once.');
    for (const id of [one, two]) expect((await s.t.stored(id)).decisions).toHaveLength(1);
    expect(JSON.parse((await s.t.stored(one)).arguments)).toEqual({ ...ARGS, amount: 60 });
  });

  it.each([
    ["a value that breaks the schema", { v1: "10000", v0: "" }, { v0: "to must NOT have", v1: "amount must be <= 9999." }],
    ["a text instead of a number", { v1: "much" }, { v1: "amount is not a number." }],
    ["a text that is not JSON", { v5: "[a" }, { v5: "tags is not JSON." }],
    ["a part of an argument with the wrong type", { v5: "[1]" }, { v5: "tags/0 must be string." }],
  ])("shows below the input what is wrong with %s, and changes nothing", async (_, filled, errors) => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const { status, body } = await s.edit(id, filled);
    expect(status).toBe(200);
    expect(body).toEqual({
      response_action: "errors",
      errors: Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, expect.stringContaining(text)])),
    });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("shows a fault that is no argument's own below the comment", async () => {
    const tool = { ...payout, parameters: { ...payout.parameters, minProperties: 6 } };
    await using s = await slackEditing({ tools: [tool] });
    const id = await s.t.hold(asks(1, { ...ARGS, quiet: true }, tool));
    const reason = 'The edited arguments break the schema of "pay_out". The arguments must NOT have fewer than 6 properties.';
    const errors = async (filled: Filled) => (await s.edit(id, filled)).body["errors"];
    expect(await errors({ v4: "" })).toEqual({ comment: reason });
    expect(await errors({ v1: "10000", v4: "" })).toEqual({ v1: "amount must be <= 9999.", comment: reason });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("is refused with one sentence if an operator has switched the definition off", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const opened = await s.open(id);
    expect((await s.t.request("otto", "/v1/writes/pay_out/disable", { method: "POST" })).status).toBe(200);
    const sentence = "The definition of this write is no longer enabled, so its arguments cannot be edited.";
    expect(said((await s.submitDialog(opened, { v1: "60" })).body)).toBe(sentence);
    await s.press(id, "edit");
    expect(s.told()).toMatchObject({ text: sentence });
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("that changes nothing is refused, also if Slack cuts off white space and escapes a text", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1, { ...ARGS, to: " Fish & <Chips> ", amount: 149 }));
    for (const filled of [
      {},
      { comment: "Fine." },
      { v0: "Fish & <Chips>" },
      { v0: "Fish &amp; &lt;Chips&gt;" },
      { v1: "149.0" },
      { v5: '["a" ]' },
    ])
      expect([filled, (await s.edit(id, filled)).body]).toEqual([filled, { response_action: "errors", errors: { comment: UNCHANGED } }]);
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("is refused if somebody else edited after the dialog was opened", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const opened = await s.open(id);
    expect(said((await s.edit(id, { v1: "2000", ticket: "OPS-1" }, "U2")).body)).toContain("It needs another approver.");
    expect(said((await s.submitDialog(opened, { v1: "60" })).body)).toBe('"ben" set other arguments than those on the card that you saw.');
    const stored = await s.t.stored(id);
    expect([JSON.parse(stored.arguments), stored.decisions.length]).toEqual([{ ...ARGS, amount: 2000 }, 1]);
    expect(said((await s.edit(id, { v1: "2001", ticket: "OPS-2" })).body)).toContain("The write is now: Pay 2001 to Bakery.");
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", edited: { by: "amy" } });
  });

  it("that raises the tier needs its ticket and its approvers, and only people who may decide that tier", async () => {
    await using s = await slackEditing({ tiers: ["high"] });
    const id = await s.t.hold(asks(1));
    expect(said((await s.edit(id, { v1: "5000", ticket: "OPS-1" })).body)).toMatch(
      /^The edited arguments make this a critical write\. Deciding/,
    );
    expect(await s.t.stored(id)).toMatchObject({ status: "pending", tier: "high", decisions: [] });
    await using all = await slackEditing();
    const raised = await all.t.hold(asks(1));
    expect((await all.edit(raised, { v1: "5000" })).body).toEqual({
      response_action: "errors",
      errors: { ticket: "Approving a critical write needs its ticket." },
    });
    expect(await all.t.stored(raised)).toMatchObject({ status: "pending", tier: "high", decisions: [] });
  });

  it("decides nothing for somebody who asked for the write, whom the file does not name, or who comes too late", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1));
    const opened = await s.open(id);
    const own = "You asked for this yourself: another approver has to decide it.";
    const nobody = "You are not one of the approvers whom an operator named for this workspace, so nothing was changed.";
    for (const [user, sentence] of [
      ["U3", own],
      ["U9", nobody],
    ] as const) {
      await s.press(id, "edit", user);
      expect(s.told()).toMatchObject({ user, text: sentence });
      for (const filled of [{ v1: "60" }, { v1: "much" }, {}])
        expect(said((await s.submitDialog(opened, filled, user)).body)).toBe(sentence);
    }
    expect(s.slack.of("views.open")).toHaveLength(1);
    expect((await s.t.security()).map(({ kind }) => kind)).toEqual(["self_approval"]);
    s.t.clock.now += 900_000;
    expect(said((await s.submitDialog(opened, { v1: "60" })).body)).toBe("The time to decide is over. The write did not run.");
    expect((await s.t.stored(id)).decisions).toEqual([]);
  });
});

describe("what an edit in Slack conceals", () => {
  const SECRET = "sk-proj-abcdefghijklmnop1234";

  it("is never sent to Slack, stays if its input stays empty, and is replaced by what the person typed", async () => {
    await using s = await slackEditing();
    const args = { ...ARGS, to: "anna@example.com", memo: SECRET, tags: ["a", "ben@example.com"] };
    const [kept, replaced] = [await s.t.hold(asks(1, args)), await s.t.hold(asks(2, args))];
    const answers = [
      await s.edit(kept, { v1: "60" }),
      await s.edit(replaced, { v4: "[redacted]" }),
      await s.edit(replaced, { v5: '["ben@example.com", 1]' }),
      await s.edit(replaced, { v0: "Bakery" }),
    ];
    expect(answers.map(({ body }) => body["errors"])).toEqual([
      undefined,
      { v4: "memo is a placeholder, not the value." },
      { v5: expect.any(String) },
      undefined,
    ]);
    expect(JSON.parse((await s.t.stored(kept)).arguments)).toEqual({ ...args, amount: 60 });
    expect(JSON.parse((await s.t.stored(replaced)).arguments)).toEqual({ ...args, to: "Bakery" });
    expect(said(answers[0]?.body)).toContain("Pay 60 to [masked: e-mail address, …@example.com].");
    await s.called("chat.update", 2);
    const sent = JSON.stringify([s.slack.calls, answers]);
    for (const hidden of ["anna@", "ben@", "sk-proj"]) expect(sent).not.toContain(hidden);
  });

  it("includes a value with an emoji, which Slack may send back as a name", async () => {
    await using s = await slackEditing();
    const id = await s.t.hold(asks(1, { ...ARGS, memo: "Party \u{1f389}" }));
    const opened = await s.open(id);
    expect(JSON.stringify(opened)).toContain("This value is not shown here.");
    await s.submitDialog(opened, { v1: "60" });
    expect(JSON.parse((await s.t.stored(id)).arguments)).toEqual({ ...ARGS, memo: "Party \u{1f389}", amount: 60 });
  });
});
