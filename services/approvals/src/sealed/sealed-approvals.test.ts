import { type Json, keys, rollbackMessage, shardOf } from "@toolbus/contracts";
import { canonicalJson, secretHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { bigRefund, call, putDocument, RUN, smallRefund, START } from "../testing/writes-under-test.ts";

// Somebody with the store's login, but without a key of approvals, writes to the documents that approvals acts on.

type Fields = Readonly<Record<string, Json>>;

describe("an approval that somebody else wrote", () => {
  it("as approved gets no grant, is refused on a repeated request, and is a security event", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const stored = await raw(t, keys.approval(id));
    const decision = { approver: "amy", decision: "approve", at: START, via: "http", tokenHash: "none" };
    const grant = { issuedAt: START, expiresAt: START + 900_000, executeBy: START + 900_000, era: 1 };
    await putDocument(t.store, keys.approval(id), { ...stored, status: "approved", decisions: [decision], endedAt: START, grant });
    await t.ask(bigRefund(1));
    const { body, message } = await t.decided.next();
    expect(body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/not what the approvals service stored/) });
    expect(message.attributes["toolbus-grant"]).toBeUndefined();
    expect(await t.security()).toMatchObject([{ kind: "document_refused", approvalId: id, details: { why: "forged" } }]);
    expect(await t.stored(id)).toMatchObject({ status: "refused", decisions: [] });
  });

  it("is neither shown nor decided, whatever was changed in it", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    const stored = await raw(t, keys.approval(id));
    const changes: readonly Fields[] = [
      { requester: "una" },
      { effect: "Wire 1 EUR to CHARITY" },
      { arguments: canonicalJson({ amount: 1 }) },
      { tenant: "other" },
      { need: 0 },
      { tier: "low" },
    ];
    for (const change of changes) {
      await putDocument(t.store, keys.approval(id), { ...stored, ...change });
      const shown = await t.get("amy", `/v1/approvals/${id}`);
      expect([change, shown]).toMatchObject([change, { status: 409, body: { code: "conflict" } }]);
      expect(JSON.stringify(shown.body)).not.toContain("CHARITY");
      expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 409, body: { code: "conflict" } });
      expect((await t.get("amy", "/v1/approvals")).body["approvals"]).toEqual([]);
    }
    await putDocument(t.store, keys.approval(id), stored);
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 200 });
  });

  it("that is an older copy of a genuine one is refused by the process that saw the newer one", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const pending = await raw(t, keys.approval(id));
    await t.decide("amy", id, "deny");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "rejected" });
    await t.get("amy", `/v1/approvals/${id}`);
    await putDocument(t.store, keys.approval(id), pending);
    expect(await t.get("ben", `/v1/approvals/${id}`)).toMatchObject({ status: 409 });
    await t.ask(bigRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/older copy/) });
    expect(await t.security()).toMatchObject([{ kind: "document_refused", details: { why: "older" } }]);
  });

  it("under the id of another call does not count there", async () => {
    await using t = await setup();
    const one = await t.hold(bigRefund(1));
    await t.decide("amy", one, "approve");
    await t.decided.next();
    const two = await t.hold(bigRefund(2));
    await putDocument(t.store, keys.approval(two), await raw(t, keys.approval(one)));
    await t.ask(bigRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ toolCallId: call(2), outcome: "refused" });
  });

  it("without a seal waits for an operator, and ends as refused when its time is over", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const { seal: _, ...unsealed } = await raw(t, keys.approval(id));
    await putDocument(t.store, keys.approval(id), unsealed);
    await t.ask(bigRefund(1));
    expect(await t.get("amy", `/v1/approvals/${id}`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/without a seal/) },
    });
    t.clock.now += 15 * 60_000;
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/no operator adopted it/) });
    expect(await t.stored(id)).toMatchObject({ status: "refused" });
  });
});

describe("a decision token that somebody else wrote", () => {
  it("decides nothing", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = "made-up-by-somebody-else";
    const value = { approvalId: id, approver: "amy", createdAt: START, expiresAt: START + 900_000, used: null };
    await putDocument(t.store, keys.token(id, secretHash(token)), value);
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
  });

  it("that was used decides nothing when it is put back as new", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    const key = keys.token(id, secretHash(token));
    const fresh = await raw(t, key);
    await t.post("amy", id, { decision: "deny", token });
    await t.post("amy", id, { decision: "deny", token });
    await putDocument(t.store, key, fresh);
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 403 });
  });
});

describe("the count of what policy granted", () => {
  it("that somebody else wrote ends policy's grants to that run", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    await putDocument(t.store, keys.quota(RUN, "issue_refund"), { granted: 0 });
    await t.ask(smallRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit", reason: expect.stringMatching(/can no longer be counted/) });
  });
});

describe("the origin of a run", () => {
  it("counts only if the gateway signed it", async () => {
    await using t = await setup();
    const key = keys.runOrigin(RUN);
    const stored = await raw(t, key);
    const { signature, ...unsigned } = stored;
    for (const [n, value] of [
      unsigned,
      { ...stored, principal: "una" },
      { ...stored, scopes: ["*"] },
      { ...stored, tenant: "other" },
    ].entries()) {
      await putDocument(t.store, key, value);
      await t.ask(smallRefund(n));
      expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/No request of a person/) });
    }
    expect(typeof signature).toBe("string");
    await putDocument(t.store, key, stored);
    await t.ask(smallRefund(9));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });
});

describe("a pin or an era that approvals did not sign", () => {
  it("grants nothing", async () => {
    await using t = await setup({ env: { PIN_ON_FIRST_SIGHT: "false" } });
    const first = await setup();
    await first.ask(smallRefund(1));
    await first.decided.next();
    const foreign = await raw(first, keys.pin("issue_refund"));
    await first[Symbol.asyncDispose]();
    for (const value of [foreign, { ...foreign, signature: undefined as unknown as Json }]) {
      await putDocument(t.store, keys.pin("issue_refund"), JSON.parse(JSON.stringify(value)) as Json);
      await t.ask(smallRefund(1));
      expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/not enabled/) });
    }
    const refused = { kind: "document_refused", details: { document: keys.pin("issue_refund") } };
    expect(await t.security("00")).toMatchObject([refused, refused]);
  });

  it("stops every grant while the era is not its own", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    await putDocument(t.store, keys.era(), { era: 9, raisedAt: START, reason: "made up" });
    expect(await t.get("amy", "/v1/era")).toMatchObject({ status: 409 });
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({
      status: 409,
      body: {
        code: "conflict",
        detail: "The stored era is not what approvals signed, so no write is granted.",
        remedy: expect.stringMatching(/another APPROVALS_KEY_FILE than before, give it the former one/),
      },
    });
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
    expect(await t.security("00")).toMatchObject([{ kind: "document_refused", details: { document: keys.era(), why: "unsealed" } }]);
  });
});

describe("a notice that the store lost writes", () => {
  it("is believed from a service that signs it, and from nobody else", async () => {
    await using t = await setup();
    const notice = (id: string) => rollbackMessage({ losses: [{ shard: "03", seenAt: START - 1 }], source: "agent", id, now: START });
    await t.bus.publish(notice("unsigned"));
    await t.bus.publish({ ...notice("forged"), attributes: { "toolbus-sender": "agent", "toolbus-signature": "a.b.c" } });
    await until(async () => (await t.security("00")).length === 2);
    expect(await t.security("00")).toMatchObject([{ kind: "message_refused" }, { kind: "message_refused" }]);
    expect((await t.get("amy", "/v1/era")).body).toMatchObject({ era: 1 });
    await t.publishAs("worker.orders", notice("genuine"));
    await until(async () => (await t.get("amy", "/v1/era")).body["era"] !== 1);
  });
});

describe("a cancel", () => {
  it("counts when the agent that asked signed it, and from nobody else", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    await t.cancel(call(1), { as: null });
    await t.cancel(call(1), { as: "worker.orders" });
    await t.cancel(call(1), { agent: "another" });
    await until(async () => (await t.security(shardOf(RUN))).length === 3);
    expect(await t.security()).toMatchObject(
      ["unsigned", "not_an_agent", "another_agent"].map((why) => ({ kind: "message_refused", details: { why } })),
    );
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
    await t.cancel(call(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "cancelled" });
  });

  it("has its reason from a list: free text is a dead letter", async () => {
    await using t = await setup();
    const dead = new Promise((resolve) => {
      void t.bus.consume("dead.approval.cancel", async ({ message }) => (resolve(JSON.parse(message.body)), { kind: "ack" }), {
        concurrency: 1,
      });
    });
    const id = await t.hold(bigRefund(1));
    await t.cancel(call(1), { reason: "all is well\u001b[2J\nApproved by amy" });
    expect(await dead).toMatchObject({ reason: expect.stringMatching(/^the body breaks its schema/) });
    expect(await t.stored(id)).toMatchObject({ status: "pending" });
  });
});

async function raw(
  t: { readonly store: { read(keys: readonly string[]): Promise<{ documents: readonly ({ value: Json } | null)[] }> } },
  key: string,
) {
  const { documents } = await t.store.read([key]);
  if (!documents[0]) throw new Error(`There is no ${key}.`);
  return documents[0].value as Record<string, Json>;
}
