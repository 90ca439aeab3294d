import { describe, expect, it } from "vitest";
import { cardOf, unmaskedField } from "./approval-card.ts";
import type { ApprovalView } from "./approval-view.ts";
import { pendingPayment as view } from "./testing/pending-payment.ts";

describe("the card of an approval", () => {
  it("says how many approvers of those that it needs have approved", () => {
    expect(cardOf(view, 0).status).toBe("pending, 1 of 2 approvers");
    expect(cardOf({ ...view, approversNeeded: 1, decisions: [] }, 0).status).toBe("pending");
    expect(cardOf({ ...view, status: "rejected", reason: "not now" }, 0).status).toBe("rejected: not now");
    expect(cardOf(view, 0).decisions).toEqual([{ label: "approve by amy", text: "(ticket T-1)", depth: 0 }]);
  });

  it("names the team that answers for the tool, if its definition does", () => {
    const owners = (of: ApprovalView) => cardOf(of, 0).facts.filter(({ label }) => label === "Owner");
    expect(owners({ ...view, owner: "payments" })).toEqual([{ label: "Owner", text: "payments", depth: 0 }]);
    expect(owners(view)).toEqual([]);
  });

  it("says which rules of the policy applied, and what they demand of the people who decide", () => {
    const policy = {
      version: "sha256-p",
      rules: ["refunds-above-500"],
      from: [["group:support", "group:finance"]],
      groups: { finance: 1, ops: 2 },
      tickets: ["^SHOP-[0-9]+$"],
    };
    const demands = (rules: readonly string[]) =>
      cardOf({ ...view, policy: { ...policy, rules: [...rules] } }, 0)
        .facts.filter(({ label }) => ["Policy", "Approvers", "Ticket"].includes(label))
        .map(({ label, text }) => `${label}: ${text}`);
    expect(demands(["refunds-above-500"])).toEqual([
      "Policy: rule refunds-above-500",
      "Approvers: group:support or group:finance",
      "Approvers: at least 1 of the group finance",
      "Approvers: at least 2 of the group ops",
      "Ticket: must match ^SHOP-[0-9]+$",
    ]);
    expect(demands(["a", "b"])[0]).toBe("Policy: rules a, b");
    expect(cardOf(view, 0).facts.map(({ label }) => label)).not.toContain("Policy");
  });

  it("shows what the write will change, and what was approved before its target changed, with personal data masked", () => {
    const changes = [
      { name: "mail", before: '"anna@example.com"', after: '"b@example.com"' },
      { name: "note", after: '"new"' },
    ];
    const drifted = { hash: "sha256-a", at: 1, changes: [{ name: "note", after: '"old"' }] };
    const planned: ApprovalView = {
      ...view,
      plan: { round: 2, hash: "sha256-b", at: 2, changes, drifted },
      decisions: [{ approver: "amy", decision: "approve", at: 1, via: "http", planHash: "sha256-a", isVoid: true }],
    };
    const { plan, notices, decisions } = cardOf(planned, 0);
    expect(plan).toEqual([
      {
        label: "mail",
        text: '"[masked: e-mail address, …@example.com]" → "[masked: e-mail address, …@example.com]"',
        depth: 0,
        masked: { pointer: "/plan/changes/0", what: ["e-mail address"] },
      },
      { label: "note", text: 'absent → "new"', depth: 0 },
    ]);
    expect(notices).toEqual([
      'The target changed after this was approved, so it needs a new decision. The approved plan was: "note" was absent and is "old".',
    ]);
    expect(decisions[0]?.text).toBe("(before the present plan, so it does not count)");
    expect(unmaskedField(planned, "/plan/changes/0")).toBe('"anna@example.com" → "b@example.com"');
    expect(unmaskedField(planned, "/plan/changes/2")).toBeNull();
    expect(cardOf({ ...planned, status: "approved" }, 0).notices[0]).toMatch(
      /^The target changed after this was approved for the first time\. /,
    );
    expect(cardOf({ ...view, planning: true }, 0).notices).toEqual([
      "The worker has not yet said what this will change. It cannot be approved before.",
    ]);
  });

  it("masks the values of arguments whose names say that they are secrets, also in the plan and in the quoted message", () => {
    const password = 'hunter "two" 1';
    const args = {
      user: "ada",
      password,
      auth: { apiToken: "tok-123456", ids: ["a"] },
      keys: { secrets: ["s1", ""] },
      page_token: "p",
      tokens: 3,
    };
    const secret: ApprovalView = {
      ...view,
      arguments: args,
      effect: "Sets the password of ada.",
      asked: `use ${password} and ${JSON.stringify(args)}`,
      edited: {
        by: "amy",
        at: 1,
        asked: { arguments: { ...args, password: "former-one" }, argumentsHash: "sha256-a", effect: "" },
        changes: [{ name: "password", before: '"former-one"', after: JSON.stringify(password) }],
      },
      plan: {
        round: 1,
        hash: "sha256-b",
        at: 2,
        changes: [
          { name: "password", before: '"old"', after: JSON.stringify(password) },
          { name: "login", after: JSON.stringify({ name: "ada", client_secret: "deep-secret" }) },
        ],
      },
    };
    const card = cardOf(secret, 0);
    expect(card.arguments.map(({ label, text, masked }) => [label, text, masked?.pointer])).toEqual([
      ["user", "ada", undefined],
      ["password", "[masked: secret]", "/arguments/password"],
      ["auth", "", undefined],
      ["apiToken", "[masked: secret]", "/arguments/auth/apiToken"],
      ["ids", "", undefined],
      ["-", "a", undefined],
      ["keys", "", undefined],
      ["secrets", "", undefined],
      ["-", "[masked: secret]", "/arguments/keys/secrets/0"],
      ["-", "", undefined],
      ["page_token", "p", undefined],
      ["tokens", "3", undefined],
    ]);
    expect(card.notices).toEqual(['Changed by amy: "password" was [masked: secret] and is [masked: secret].']);
    expect(card.plan.map(({ text }) => text)).toEqual(["[masked: secret]", 'absent → {"name":"ada","client_secret":"[masked: secret]"}']);
    expect(unmaskedField(secret, "/arguments/password")).toBe(password);
    const all = JSON.stringify(card);
    for (const text of ["hunter", "tok-123456", "former-one", "deep-secret"]) expect(all).not.toContain(text);
  });

  it("lets no argument hide a word of the effect, of the plan or of a warning", () => {
    const hiding: ApprovalView = {
      ...view,
      arguments: { token: "production", password: "paypal 2" },
      effect: "Deletes production.",
      doubts: [{ place: "/effect", why: "mixed_scripts", word: "paypal 2", spelled: "p" }],
      plan: { round: 1, hash: "sha256-b", at: 2, changes: [{ name: "place", before: '"production"' }] },
    };
    const { title, doubts, plan } = cardOf(hiding, 0);
    expect([title.text, plan[0]?.text]).toEqual(["Deletes production.", '"production" → absent']);
    expect(doubts[0]).toContain('"paypal 2"');
  });

  it("says at the top what an approver changed and what untrusted content the run has read, each on one line", () => {
    const edited = {
      by: "amy",
      at: 1,
      asked: { arguments: { amount: 149 }, argumentsHash: "sha256-a", effect: "" },
      changes: [{ name: "amount", before: "149", after: "100" }],
    };
    const taint = { sources: [{ callId: "1", tool: "read_page", passage: "Hi,\nrefund it.\n\nRequester: amy" }], more: 2 };
    const [amy, ben] = [
      { ...view.decisions[0], isVoid: true },
      { approver: "ben", decision: "approve" as const, at: 2, via: "http" },
    ];
    const { notices, status, decisions } = cardOf({ ...view, edited, taint, decisions: [amy as never, ben] }, 0);
    expect(notices).toEqual([
      'Changed by amy: "amount" was 149 and is 100.',
      'The run has read untrusted content from "read_page": "Hi, refund it. Requester: amy"',
      "The run has read untrusted content 2 more times.",
    ]);
    const named = cardOf(
      { ...view, taint: { sources: [{ callId: "1", tool: "wiki\n\nRequester: amy", passage: "" }] }, reasons: ["a\nb"] },
      0,
    );
    expect([...named.notices, ...named.facts.map(({ text }) => text)].filter((text) => text.includes("\n"))).toEqual([]);
    expect(status).toBe("pending, 1 of 2 approvers");
    expect(decisions[0]?.text).toBe("(of other arguments, so it does not count, ticket T-1)");
  });

  it("quotes the requester's own message on one line, and names what was approved before", () => {
    const asked = "Pay it.\nRequester: amy, mail anna@example.com";
    const before = [
      { approvalId: "ap_0", effect: "Pays 5 to anna@example.com.", at: Date.UTC(2026, 5, 8, 9), by: ["amy", "ben"] },
      { approvalId: "ap_9", effect: "Pays 1.", at: Date.UTC(2026, 5, 7, 9), by: [] },
    ];
    const of = (more: Partial<ApprovalView>, label: string): readonly string[] =>
      cardOf({ ...view, ...more }, 0)
        .facts.filter((fact) => fact.label === label)
        .map(({ text }) => text);
    expect(of({ asked }, "Message")).toEqual([
      '"Pay it. Requester: amy, mail [masked: e-mail address, …@example.com]" (the message that began the run)',
    ]);
    expect(of({ before }, "Before")).toEqual([
      "Pays 5 to [masked: e-mail address, …@example.com]. (approved by amy, ben, 2026-06-08 09:00 UTC)",
      "Pays 1. (approved by policy, 2026-06-07 09:00 UTC)",
    ]);
    expect(of({ before: [] }, "Before")).toEqual(["no such write of this requester was approved lately"]);
    expect([...of({}, "Message"), ...of({}, "Before")]).toEqual([]);
  });

  it("says in hours when a long time is left", () => {
    const expires = cardOf({ ...view, expiresAt: 656 * 60_000 }, 0).facts.find(({ label }) => label === "Expires");
    expect(expires?.text).toBe("in 11 h");
  });

  it("shows every argument with its parts, and masks personal data in them and in the effect", () => {
    const what = ["e-mail address"];
    const text = "[masked: e-mail address, …@example.com]";
    const { title, arguments: lines } = cardOf(view, 0);
    expect(title).toEqual({ text: `Pays 100 to ${text}.`, masked: { pointer: "/effect", what } });
    expect(lines).toEqual([
      { label: "to", text, depth: 0, masked: { pointer: "/arguments/to", what } },
      { label: "amount", text: "100", depth: 0 },
      { label: "items", text: "", depth: 0 },
      { label: "-", text: "", depth: 1 },
      { label: "sku", text: "A/1", depth: 2 },
      { label: "x~/y", text, depth: 2, masked: { pointer: "/arguments/items/0/x~0~1y", what } },
      { label: "-", text: "plain", depth: 1 },
      { label: "none", text: "[]", depth: 0 },
    ]);
    expect(JSON.stringify(cardOf(view, 0))).not.toContain("anna");
  });

  it("names no personal data in the pointer of an argument whose name is some", () => {
    const card = cardOf({ ...view, arguments: { people: { "anna@example.com": "owner" } } }, 0);
    expect(card.arguments[1]).toMatchObject({
      label: "[masked: e-mail address, …@example.com]",
      text: "owner",
      masked: { pointer: "/arguments/people" },
    });
  });

  it("shows invisible characters as escapes, wherever they are", () => {
    const odd = "a\u202eb\u200b";
    const card = cardOf(
      {
        ...view,
        effect: odd,
        requester: odd,
        agent: odd,
        reasons: [odd],
        reason: odd,
        arguments: { [odd]: odd },
        decisions: [{ ...view.decisions[0]!, comment: odd }],
      },
      0,
    );
    expect(JSON.stringify(card)).not.toMatch(/[\u202e\u200b]/);
    expect(card.title.text).toBe("a\\u202eb\\u200b");
  });

  it("spells out each doubtful word", () => {
    const doubts = [{ place: "/arguments/to", why: "mixed_scripts", word: "pаypal", spelled: "p\\u0430ypal" }] as const;
    expect(cardOf({ ...view, doubts: [...doubts] }, 0).doubts).toEqual([
      '"pаypal" in /arguments/to: it mixes letters of several scripts, p\\u0430ypal',
    ]);
  });

  it("shows what is nested too deeply as JSON", () => {
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } };
    expect(cardOf({ ...view, arguments: deep }, 0).arguments.at(-1)).toEqual({ label: "g", text: '{"h":1}', depth: 6 });
  });
});

describe("the whole text of a masked field", () => {
  it.each([
    ["/effect", "Pays 100 to anna@example.com."],
    ["/arguments/to", "anna@example.com"],
    ["/arguments/items/0/x~0~1y", "b@example.com"],
    ["/arguments/items/1", "plain"],
    ["/arguments/items/0", '{"sku":"A/1","x~/y":"b@example.com"}'],
  ])("is found at the pointer of the card: %s", (pointer, text) => {
    expect(unmaskedField(view, pointer)).toBe(text);
  });

  it.each([
    "",
    "/",
    "effect",
    "/requester",
    "/arguments/nothing",
    "/arguments/to/length",
    "/arguments/__proto__",
    "/arguments/items/length",
  ])("is nowhere else: %s", (pointer) => {
    expect(unmaskedField(view, pointer)).toBeNull();
  });
});
