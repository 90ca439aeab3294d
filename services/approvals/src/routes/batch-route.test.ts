import { approvalIdOf, type JsonObject, keys } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks, plan, plansUnderTest } from "../testing/plans-under-test.ts";
import { planHash } from "@toolbus/grants";
import { type Person, setup as started } from "../testing/approvals-under-test.ts";
import { bigRefund, call } from "../testing/writes-under-test.ts";

type Service = Awaited<ReturnType<typeof started>>;

interface Answered {
  readonly status: number;
  readonly replayed: string | null;
  readonly body: { readonly answers?: readonly JsonObject[]; readonly code?: string };
}

async function setup(env: Readonly<Record<string, string>> = {}) {
  const t = await started({ env });
  return {
    t,
    /** Holds a write for people, and then changes its stored tier to medium. By default, policy would decide a write of this tier. */
    async held(n: number): Promise<string> {
      const id = await t.hold(bigRefund(n));
      await t.write(keys.approval(id), { ...(await t.stored(id)), tier: "medium" });
      return id;
    },
    batch: (who: Person, decisions: readonly object[], headers: Readonly<Record<string, string>> = {}) => sent(t, who, decisions, headers),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

async function sent(
  t: Pick<Service, "request">,
  who: Person,
  decisions: readonly object[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const answer = await t.request(who, "/v1/approvals/decisions", {
    method: "POST",
    body: JSON.stringify({ decisions }),
    headers: { "content-type": "application/json", ...headers },
  });
  return { status: answer.status, replayed: answer.headers.get("idempotent-replay"), body: JSON.parse(await answer.text()) };
}

async function item(t: Pick<Service, "token">, approval: string, decision = "approve"): Promise<JsonObject> {
  return { approval, decision, token: await t.token("amy", approval) };
}

describe("a batch of decisions", () => {
  it("makes each decision with its own token, and answers each in order", async () => {
    await using s = await setup();
    const { t } = s;
    const [one, two] = [await s.held(1), await s.held(2)];
    const { status, body } = await s.batch("amy", [await item(t, one), { ...(await item(t, two, "deny")), comment: "Not this one." }]);
    expect(status).toBe(200);
    expect(body.answers).toMatchObject([
      { approval: one, status: 200, decided: { status: "approved" } },
      { approval: two, status: 200, decided: { status: "rejected", decisions: [{ comment: "Not this one." }] } },
    ]);
    expect([(await t.stored(one)).status, (await t.stored(two)).status]).toEqual(["approved", "rejected"]);
  });

  it("refuses high writes beside others, and decides one that is alone", async () => {
    await using s = await setup();
    const { t } = s;
    const [high, medium] = [await t.hold(bigRefund(1)), await s.held(2)];
    const both = await s.batch("amy", [await item(t, high), await item(t, medium)]);
    expect(both.body.answers).toMatchObject([
      { approval: high, status: 403, problem: { code: "forbidden", detail: "A high write is decided alone, never together with others." } },
      { approval: medium, status: 200, decided: { status: "approved" } },
    ]);
    expect((await t.stored(high)).status).toBe("pending");
    expect((await s.batch("amy", [await item(t, high)])).body.answers).toMatchObject([{ status: 200, decided: { status: "approved" } }]);
  });

  it("gives each refused decision its own problem, and makes the others", async () => {
    await using s = await setup();
    const { t } = s;
    const [one, two] = [await s.held(1), await s.held(2)];
    const token = "a-token-that-was-never-given-out";
    const { body } = await s.batch("amy", [
      { approval: approvalIdOf(call(9)), decision: "approve", token },
      { approval: "nonsense", decision: "approve", token },
      { approval: one, decision: "approve", token },
      { ...(await item(t, two)), argumentsHash: "sha256-older" },
      await item(t, two),
    ]);
    expect(body.answers?.map(({ status }) => status)).toEqual([404, 404, 403, 409, 200]);
    expect((await t.stored(one)).status).toBe("pending");
  });

  it("approves a write with a plan only with the hash of the plan on its card", async () => {
    await using t = await plansUnderTest();
    const ids = [await t.hold(asks(100)), await t.hold(asks(200, 2))] as const;
    for (const [index, id] of ids.entries()) {
      await t.plans(id, asks(100 * (index + 1), index + 1), plan(300, 200));
      await t.write(keys.approval(id), { ...(await t.stored(id)), tier: "medium" });
    }
    const decisions = [await item(t, ids[0]), { ...(await item(t, ids[1])), planHash: planHash(plan(300, 200)) }];
    expect((await sent(t, "amy", decisions)).body.answers).toMatchObject([
      { status: 409, problem: { code: "conflict" } },
      { status: 200, decided: { status: "approved" } },
    ]);
  });

  it("repeated gets the same answers, and its key is refused for another decision", async () => {
    await using s = await setup();
    const { t } = s;
    const one = await s.held(1);
    const decided = [await item(t, one)];
    const key = { "idempotency-key": "batch-1" };
    const first = await s.batch("amy", decided, key);
    expect(first.replayed).toBeNull();
    expect(await s.batch("amy", decided, key)).toEqual({ ...first, replayed: "true" });
    const other = await s.batch("amy", [{ ...decided[0], decision: "deny" }], key);
    expect(other.body.answers).toMatchObject([{ status: 422, problem: { code: "idempotency_key_reused" } }]);
    expect(other.replayed).toBeNull();
  });

  it("with a key decides several writes of one run, and repeated gets the same answers", async () => {
    await using s = await setup();
    const { t } = s;
    const decided = [await item(t, await s.held(1)), await item(t, await s.held(2), "deny")];
    const key = { "idempotency-key": "batch-1" };
    const first = await s.batch("amy", decided, key);
    expect(first.body.answers).toMatchObject([
      { status: 200, decided: { status: "approved" } },
      { status: 200, decided: { status: "rejected" } },
    ]);
    expect(await s.batch("amy", decided, key)).toEqual({ ...first, replayed: "true" });
  });

  it("with a key is not a replay if an earlier request with this key decided only some of the writes", async () => {
    await using s = await setup();
    const { t } = s;
    const decided = [await item(t, await s.held(1)), await item(t, await s.held(2))];
    const key = { "idempotency-key": "batch-1" };
    await s.batch("amy", decided.slice(0, 1), key);
    expect((await s.batch("amy", decided, key)).replayed).toBeNull();
    expect((await s.batch("amy", decided, key)).replayed).toBe("true");
  });

  it("counts every decision against the limit of the approver", async () => {
    await using s = await setup({ DECISIONS_PER_MINUTE: "2" });
    const { t } = s;
    const ids = [await s.held(1), await s.held(2), await s.held(3)];
    const decisions = [];
    for (const id of ids) decisions.push(await item(t, id));
    const { body } = await s.batch("amy", decisions);
    expect(body.answers?.map(({ status }) => status)).toEqual([200, 200, 429]);
  });

  it.each([
    ["no decision", []],
    ["more than 50 decisions", Array.from({ length: 51 }, () => ({ approval: "ap_x", decision: "deny", token: "x".repeat(20) }))],
    ["a decision without a token", [{ approval: "ap_x", decision: "deny" }]],
    ["edited arguments", [{ approval: "ap_x", decision: "approve", token: "x".repeat(20), arguments: {} }]],
  ])("with %s is 400, and decides nothing", async (_, decisions) => {
    await using s = await setup();
    expect(await s.batch("amy", decisions)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  });
});
