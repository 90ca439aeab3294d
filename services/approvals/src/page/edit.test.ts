import type { ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup as started } from "../testing/approvals-under-test.ts";
import { browserOf } from "../testing/page-under-test.ts";
import { type Asked, call, payout as anyPayout, refund } from "../testing/writes-under-test.ts";

/** The payment with an argument of each kind. */
const payout: ToolDefinition = {
  ...anyPayout,
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["to", "amount"],
    properties: {
      to: { type: "string", minLength: 1, description: "Who gets the money." },
      amount: { type: "number", maximum: 9999 },
      speed: { enum: ["slow", "fast"] },
      quiet: { type: "boolean" },
      memo: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
    },
  },
  effect: "Pay {amount} to {to}.",
};
const ARGS = { to: "anna@example.com", amount: 149, speed: "slow", memo: "first\nsecond", tags: ["a"] };
const asks = (n: number, args: Asked["args"] = ARGS): Asked => ({ callId: call(n), tool: payout, args });

async function setup() {
  const t = await started({ tools: [refund, payout] });
  const [amy, ben] = [browserOf(t), browserOf(t)];
  await amy.signIn("amy");
  await ben.signIn("ben");
  return Object.assign(t, { amy, ben });
}
type Setup = Awaited<ReturnType<typeof setup>>;

/** Opens the form of an edit, fills in these fields, and sends it. The browser sends the other fields as they are. */
async function edit(t: Setup, id: string, typed: Readonly<Record<string, string>>, who: "amy" | "ben" = "amy") {
  const { text, status } = await t[who].open(`/approvals/${id}/edit`);
  expect(status).toBe(200);
  return t[who].post(`/approvals/${id}/edit`, { ...t[who].form(`/approvals/${id}/edit`), ...fieldsIn(text), ...typed });
}

function fieldsIn(text: string): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="text" id="(v\d+)" name="v\d+" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  const areas = [...text.matchAll(/<textarea id="(v\d+)"[^>]*>\n([^<]*)<\/textarea>/g)].map(([, name = "", value = ""]) => [
    name,
    value.replaceAll("\n", "\r\n"),
  ]);
  const selects = [...text.matchAll(/<select id="(v\d+)"[^>]*>(.*?)<\/select>/gs)].map(([, name = "", options = ""]) => [
    name,
    (/<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options))?.[1] ?? "",
  ]);
  const unescaped = (value: string) => value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return Object.fromEntries([...inputs, ...areas, ...selects].map(([name = "", value = ""]) => [name, unescaped(value)]));
}

async function approve(t: Setup, id: string, typed: Readonly<Record<string, string>> = {}, who: "amy" | "ben" = "amy") {
  const path = `/approvals/${id}/decision`;
  return t[who].post(path, { ...t[who].form(path, { decision: "approve" }), ...typed });
}

describe("an edit on the approval page", () => {
  it("shows what would change, decides nothing until it is confirmed, and then approves exactly that", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const { status, text } = await edit(t, id, { v1: "60", v2: '"fast"', v3: "true", v5: '["a", "b"]' });
    expect(status).toBe(200);
    expect(text).toContain("&#34;amount&#34; was 149 and is 60");
    expect(text).toContain("&#34;speed&#34; was &#34;slow&#34; and is &#34;fast&#34;");
    expect(text).toContain("&#34;quiet&#34; was absent and is true");
    expect(text).toContain("Pay 60 to [masked: e-mail address, …@example.com].");
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect((await approve(t, id, { comment: "Less." })).status).toBe(303);
    const stored = await t.stored(id);
    expect(stored).toMatchObject({
      status: "approved",
      edited: { by: "amy" },
      decisions: [{ approver: "amy", via: "page", comment: "Less." }],
    });
    expect(JSON.parse(stored.arguments)).toEqual({ ...ARGS, amount: 60, speed: "fast", quiet: true, tags: ["a", "b"] });
  });

  it("can be changed once more from its preview, which keeps what the person typed", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const memo = 'two\r\n"lines"';
    await edit(t, id, { v1: "60", v2: '"fast"', v4: memo });
    const path = `/approvals/${id}/edit`;
    const { status, text: sent } = await t.amy.post(path, t.amy.form(path, { again: "yes" }));
    // A browser reads each line break of a page as one character.
    const text = sent.replaceAll("\r\n", "\n");
    expect([status, text]).toEqual([200, expect.stringContaining("Show what changes")]);
    expect(fieldsIn(text)).toMatchObject({ v1: "60", v2: '"fast"', v4: memo });
    await t.amy.post(path, { ...t.amy.form(path), ...fieldsIn(text), v1: "61" });
    await approve(t, id);
    expect(JSON.parse((await t.stored(id)).arguments)).toEqual({ ...ARGS, amount: 61, speed: "fast", memo: 'two\n"lines"' });
  });

  it("keeps a masked argument that the person did not type, and no page contains it", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const { text: form } = await t.amy.open(`/approvals/${id}/edit`);
    const { text: preview } = await edit(t, id, { v1: "60" });
    for (const text of [form, preview]) expect(text).not.toContain("anna@");
    expect(form).toContain("The page does not show this value.");
    await approve(t, id);
    expect(JSON.parse((await t.stored(id)).arguments)).toEqual({ ...ARGS, amount: 60 });
  });

  it("shows no credential of an argument or of the effect, also when the person replaces it, and keeps one that nobody replaced", async () => {
    await using t = await setup();
    const secret = "sk-proj-abcdefghijklmnop1234";
    const [kept, replaced] = [await t.hold(asks(1, { ...ARGS, to: `Bakery ${secret}` })), await t.hold(asks(2, { ...ARGS, memo: secret }))];
    const shown = [
      await t.amy.open(`/approvals/${kept}/edit`),
      await t.amy.open(`/approvals/${replaced}/edit`),
      await edit(t, replaced, { v4: "none" }),
    ];
    await approve(t, replaced);
    shown.push(await edit(t, kept, { v1: "60" }));
    for (const { text } of shown) expect(text).not.toContain("sk-proj");
    expect(shown.at(-1)?.text).toContain("Pay 60 to Bakery [redacted].");
    await approve(t, kept);
    expect(JSON.parse((await t.stored(kept)).arguments)).toMatchObject({ to: `Bakery ${secret}`, amount: 60 });
    expect(JSON.parse((await t.stored(replaced)).arguments)).toMatchObject({ memo: "none" });
  });

  it("shows no part of a credential that begins where a long value is cut", async () => {
    await using t = await setup();
    const memo = `${"word ".repeat(38)}sk-proj-abcdefghijklmnop1234`;
    const id = await t.hold(asks(1, { ...ARGS, memo }));
    const preview = await edit(t, id, { v4: "none" });
    await approve(t, id);
    const view = JSON.stringify((await t.get("amy", `/v1/approvals/${id}`)).body);
    for (const text of [preview.text, view]) {
      expect(text).toContain("word word");
      expect(text).not.toContain("sk-p");
    }
  });

  it("is refused without the hash of the card that the person saw", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    await edit(t, id, { v1: "60" });
    const { argumentsHash: _, ...fields } = t.amy.form(`/approvals/${id}/decision`, { decision: "approve" });
    expect((await t.amy.post(`/approvals/${id}/decision`, fields)).status).toBe(400);
    expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
  });

  it("replaces a masked argument by what the person typed, and removes an optional one that the person emptied", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    await edit(t, id, { v0: "Bakery", v2: "", v4: "", v5: "" });
    await approve(t, id);
    expect(JSON.parse((await t.stored(id)).arguments)).toEqual({ to: "Bakery", amount: 149 });
  });

  it.each([
    ["a value that breaks the schema", { v1: "10000" }, "break the schema", /id="v1-hint"[^]*must be &#60;= 9999/],
    ["a text instead of a number", { v1: "much" }, "cannot be approved", /id="v1-hint"[^]*This is not a number\./],
    ["a text that is not JSON", { v5: "[a" }, "cannot be approved", /id="v5-hint"[^]*This is not JSON\./],
    ["no change", {}, "Nothing is changed.", /value="149"/],
  ])("says beside the field what is wrong with %s, and keeps what was typed", async (_, typed, sentence, shown) => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const { status, text } = await edit(t, id, typed);
    expect([status, text]).toEqual([400, expect.stringContaining(sentence)]);
    expect(text).toMatch(shown);
    for (const value of Object.values(typed)) expect(text).toContain(`>${value}<`.includes("[a") ? "[a" : `value="${value}"`);
    expect((await t.stored(id)).decisions).toEqual([]);
  });

  it("says that a higher amount needs two people and a ticket, and the second person sees the edit", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const { text } = await edit(t, id, { v1: "5000" });
    expect(text).toContain("raised from high, needs 2 approvers");
    expect(text).toMatch(/name="ticket"[^>]* required/);
    expect((await approve(t, id, { ticket: "OPS-1" })).status).toBe(303);
    const { text: card } = await t.ben.open(`/approvals/${id}`);
    expect(card).toContain("Changed by amy: &#34;amount&#34; was 149 and is 5000.");
    expect((await t.ben.decide(id, "approve")).status).toBe(303);
    expect(await t.stored(id)).toMatchObject({ status: "approved", need: 2 });
  });

  it("is refused if somebody else edited first, and shows the present arguments", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    await edit(t, id, { v1: "2000" });
    const [path, stale] = [`/approvals/${id}/decision`, t.amy.form(`/approvals/${id}/decision`, { decision: "approve" })];
    await edit(t, id, { v1: "3000" }, "ben");
    expect((await approve(t, id, { ticket: "OPS-1" }, "ben")).status).toBe(303);
    const late = await t.amy.post(path, { ...stale, ticket: "OPS-2" });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining("set other arguments than those on the card that you saw")]);
    expect(JSON.parse((await t.stored(id)).arguments)).toMatchObject({ amount: 3000 });
    expect((await t.amy.open(`/approvals/${id}/edit`)).text).toContain('value="3000"');
  });

  it("starts from the present arguments if somebody else edited before the preview", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const { text: opened } = await t.amy.open(`/approvals/${id}/edit`);
    const fields = { ...t.amy.form(`/approvals/${id}/edit`), ...fieldsIn(opened), v4: "" };
    await edit(t, id, { v1: "3000" }, "ben");
    await approve(t, id, { ticket: "OPS-1" }, "ben");
    const { status, text } = await t.amy.post(`/approvals/${id}/edit`, fields);
    expect([status, text]).toEqual([409, expect.stringContaining("Somebody changed the arguments meanwhile.")]);
    expect(text).toContain('value="3000"');
  });

  it("gives the same answer to a second click", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    await edit(t, id, { v1: "60", v4: "" });
    const fields = t.amy.form(`/approvals/${id}/decision`, { decision: "approve" });
    for (const _ of [1, 2]) expect((await t.amy.post(`/approvals/${id}/decision`, fields)).status).toBe(303);
    expect((await t.stored(id)).decisions).toHaveLength(1);
  });

  it.each(["nonsense", "{}", '{"set":[],"unset":[]}', '{"set":{},"unset":[1]}', '{"set":{"amount":60},"unset":[],"more":1}'])(
    "refuses changes that no form sent: %s",
    async (changes) => {
      await using t = await setup();
      const id = await t.hold(asks(1));
      await edit(t, id, { v1: "60" });
      const { status, text } = await approve(t, id, { changes });
      expect([status, text]).toEqual([400, expect.stringContaining("The changed arguments cannot be read. Edit them again.")]);
      expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    },
  );

  it("is not offered to somebody who may not decide, and not for a write whose definition is no longer enabled", async () => {
    await using t = await setup();
    const id = await t.hold(asks(1));
    const rita = browserOf(t);
    await rita.signIn("rita");
    const { status, text } = await rita.open(`/approvals/${id}/edit`);
    expect([status, text]).toEqual([403, expect.stringContaining("You may not decide this")]);
  });
});
