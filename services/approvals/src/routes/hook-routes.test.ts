import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { readHookSources } from "../decisions/hook-sources.ts";
import { bigRefund, bigWire } from "../testing/writes-under-test.ts";

const [SECRET = "", NEXT = "", OTHER = ""] = [1, 2, 3].map((n) => `whsec_${Buffer.alloc(32, n).toString("base64")}`);
const CHAT = { name: "chat", secrets: [SECRET, NEXT], tenant: "acme", tiers: ["high"], approvers: { U1: "amy", U2: "ben", U3: "rita" } };
const DESK = { ...CHAT, name: "desk", tiers: ["high", "critical"] };
const ABROAD = { ...CHAT, name: "abroad", tenant: "other" };

async function hooksFile(sources: unknown, mode = 0o600): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "hooks-"));
  const file = path.join(folder, "hooks.json");
  await writeFile(file, typeof sources === "string" ? sources : JSON.stringify({ sources }), { mode });
  return { file, remove: () => rm(folder, { recursive: true }) };
}

interface Hook {
  readonly source?: string;
  readonly id?: string;
  readonly secret?: string;
  /** The time between the signature and the request. */
  readonly ageMs?: number;
  /** The body that is sent instead of the signed one. */
  readonly sent?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts approvals with three systems that may decide. */
async function hooked() {
  const { file, remove } = await hooksFile([CHAT, DESK, ABROAD]);
  const t = await setup({ env: { DECISION_HOOKS_FILE: file } });
  let count = 0;
  return {
    t,
    async hook(body: object, { source = "chat", id = `msg-${++count}`, secret = SECRET, ageMs = 0, sent, headers = {} }: Hook = {}) {
      const text = JSON.stringify(body);
      const at = new Date(t.clock.now - ageMs);
      const signed = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(secret).sign(id, at, text),
      };
      const answer = await t.request(null, `/v1/hooks/${source}`, {
        method: "POST",
        body: sent ?? text,
        headers: { "content-type": "application/json", ...signed, ...headers },
      });
      return { status: answer.status, replayed: answer.headers.get("idempotent-replay"), body: JSON.parse(await answer.text()) };
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await remove();
    },
  };
}

describe("the decision webhook", () => {
  it("decides for the approver whom the operator's file names; grant and record name the system", async () => {
    await using s = await hooked();
    const { t } = s;
    const asked = bigRefund(1);
    const approval = await t.hold(asked);
    const answer = await s.hook({ approval, decision: "approve", approver: "U1", comment: "Fine." }, { secret: NEXT });
    expect(answer).toMatchObject({
      status: 200,
      replayed: null,
      body: {
        id: approval,
        status: "approved",
        decisions: [{ approver: "amy", decision: "approve", via: "webhook:chat", comment: "Fine." }],
      },
    });
    expect(await t.verdict(await t.decided.next(), asked, { tier: "high", need: 1 })).toMatchObject({ kind: "granted" });
    expect(await t.audit()).toContainEqual(expect.objectContaining({ event: "decision", by: "amy", via: "webhook:chat" }));
  });

  it("that repeats an approval after an edit gets the first answer, and approves the new arguments only with their hash", async () => {
    await using s = await hooked();
    const { t } = s;
    const approval = await t.hold(bigWire(1));
    const first = { approval, decision: "approve", approver: "U1", ticket: "T-1" };
    const answer = await s.hook(first, { source: "desk", id: "msg-a" });
    const edited = { order: "ORD-2", amount: 5 };
    const edit = await t.decide("ben", approval, "approve", { arguments: edited, ticket: "T-2" });
    expect((await s.hook(first, { source: "desk", id: "msg-a" })).body).toEqual(answer.body);
    expect((await s.hook({ ...first, ticket: "T-3" }, { source: "desk", id: "msg-b" })).body).toEqual(answer.body);
    expect(await t.stored(approval)).toMatchObject({ status: "pending" });
    const { argumentsHash } = edit.body;
    expect(await s.hook({ ...first, argumentsHash }, { source: "desk", id: "msg-c" })).toMatchObject({
      status: 200,
      body: { status: "approved", arguments: edited },
    });
    expect(await s.hook({ ...first, argumentsHash }, { source: "desk", id: "msg-d" })).toMatchObject({ body: { status: "approved" } });
  });

  it("edits the arguments like an approver's own decision", async () => {
    await using s = await hooked();
    const { t } = s;
    const approval = await t.hold(bigRefund(1));
    const edited = { order: "ORD-8821", amount: 20 };
    const request = { approval, decision: "approve", approver: "U1", arguments: edited };
    expect(await s.hook(request)).toMatchObject({ status: 200, body: { status: "approved", arguments: edited, edited: { by: "amy" } } });
    expect(await s.hook(request)).toMatchObject({ status: 200, body: { status: "approved" } });
    expect(await s.hook({ ...request, arguments: { ...edited, amount: 30 } })).toMatchObject({ status: 409, body: { code: "token_used" } });
  });

  it("gives a repeat of its id the first answer, also after a restart and later decisions, and refuses the id for another request", async () => {
    await using s = await hooked();
    const { t } = s;
    const approval = await t.hold(bigWire(1));
    const first = { approval, decision: "approve", approver: "U1", ticket: "CHG-1" };
    const answer = await s.hook(first, { source: "desk", id: "one" });
    expect(answer).toMatchObject({ status: 200, body: { status: "pending", decisions: [{ approver: "amy" }] } });
    await t.restart();
    expect(await s.hook({ ...first, approver: "U2" }, { source: "desk", id: "two" })).toMatchObject({
      status: 200,
      body: { status: "approved" },
    });
    const again = await s.hook(first, { source: "desk", id: "one" });
    expect(again).toEqual({ ...answer, replayed: "true" });
    expect(await s.hook({ ...first, decision: "deny" }, { source: "desk", id: "one" })).toMatchObject({ status: 422 });
    expect((await t.stored(approval)).decisions).toHaveLength(2);
  });

  it("changes nothing for a request that is not freshly signed by its source over these bytes", async () => {
    await using s = await hooked();
    const { t } = s;
    const approval = await t.hold(bigRefund(1));
    const body = { approval, decision: "approve", approver: "U1" };
    for (const wrong of [
      { secret: OTHER },
      { source: "nobody" },
      { source: "constructor" },
      { ageMs: 301_000 },
      { ageMs: -301_000 },
      { sent: JSON.stringify(body, null, 1) },
      { headers: { "webhook-id": "another" } },
      { headers: { "webhook-signature": "v1,AAAA" } },
      { headers: { "webhook-timestamp": "soon" } },
    ] satisfies Hook[]) {
      const answer = await s.hook(body, wrong);
      expect([wrong, answer.status, answer.body.code]).toEqual([wrong, 401, "unauthenticated"]);
      expect(answer.body.detail).toMatch(/^[^.]+\.$/);
    }
    expect(await s.hook(body, { ageMs: 299_000 })).toMatchObject({ status: 200 });
  });

  it("refuses unknown people, decisions that the file does not allow, and decisions that the rules of approvals forbid, with one sentence each", async () => {
    await using s = await hooked();
    const { t } = s;
    const high = await t.hold(bigRefund(1));
    const critical = await t.hold(bigWire(2));
    const approve = (approval: string, approver: string, hook: Hook = {}) => s.hook({ approval, decision: "approve", approver }, hook);
    expect(await approve(high, "U9")).toMatchObject({ status: 403, body: { detail: "This source has no approver of that name." } });
    expect(await approve(high, "constructor")).toMatchObject({ status: 403 });
    expect(await approve(high, "U3")).toMatchObject({ status: 403, body: { code: "self_approval" } });
    expect(await approve(critical, "U1")).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await approve(critical, "U1", { source: "desk" })).toMatchObject({ status: 400, body: { errors: [{ path: "/ticket" }] } });
    expect(await approve(high, "U1", { source: "abroad" })).toMatchObject({ status: 404 });
    expect(await approve("ap_rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7.9.0", "U1")).toMatchObject({ status: 404 });
    expect(await s.hook({ approval: high, decision: "approve" })).toMatchObject({ status: 400 });
    expect(await s.hook({ approval: high, decision: "approve", approver: "U1", more: 1 })).toMatchObject({ status: 400 });
    for (const id of [high, critical]) expect(await t.stored(id)).toMatchObject({ status: "pending", decisions: [] });
    expect((await t.security()).map(({ kind }) => kind)).toEqual(["self_approval", "not_allowed"]);
  });

  it("reports how the approval ended if it comes too late, or if its person has decided otherwise", async () => {
    await using s = await hooked();
    const { t } = s;
    const [decided, late] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    await t.decide("ben", decided, "deny");
    const body = { approval: decided, decision: "approve", approver: "U1" };
    expect(await s.hook(body)).toMatchObject({ status: 409, body: { code: "already_decided", detail: 'This ended as "rejected".' } });
    expect(await s.hook({ ...body, approver: "U2" })).toMatchObject({ status: 409, body: { code: "token_used" } });
    t.clock.now += 900_000;
    const expired = { code: "expired", errors: [{ path: "/status", message: "expired" }] };
    for (const id of ["late", "late"])
      expect(await s.hook({ ...body, approval: late }, { id })).toMatchObject({ status: 410, body: expired });
    expect(await t.stored(decided)).toMatchObject({ status: "rejected", decisions: [{ approver: "ben" }] });
  });
});

describe("the file of decision hooks", () => {
  it.each([
    ["no JSON", "{", /not JSON/],
    ["a source without people", [{ ...CHAT, approvers: {} }], /breaks its schema/],
    ["two of one name", [CHAT, CHAT], /one name/],
    ["an invalid secret", [{ ...CHAT, secrets: ["whsec_c2VjcmV0"] }], /A secret of the source "chat"/],
  ])("is refused for %s, with a sentence and no secret", async (_, sources, words) => {
    const { file, remove } = await hooksFile(sources);
    const refused = await readHookSources(file).then(
      () => new Error("it was taken"),
      (error: unknown) => error as Error,
    );
    await remove();
    expect(refused.message).toMatch(words);
    for (const secret of [SECRET, "c2VjcmV0"]) expect(refused.message).not.toContain(secret);
  });

  it("may be left out, and then nobody decides by webhook; a file that others may read, or that is missing, is refused", async () => {
    expect((await readHookSources("")).size).toBe(0);
    const { file, remove } = await hooksFile([CHAT], 0o644);
    await expect(readHookSources(file)).rejects.toMatchObject({ name: "Refusal", message: expect.stringContaining("is open to others") });
    await remove();
    await expect(readHookSources(file)).rejects.toThrow(/There is no file of decision hooks/);
  });
});
