import { type InboxEntry, keyOf, keys, messageWithFacts, shardOf } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { tenantHash } from "../tenant-hash.ts";
import { setup } from "../testing/approvals-under-test.ts";
import { bigRefund, CONVERSATION, note, call, putDocument, putOrigin, RUN, smallRefund, START } from "../testing/writes-under-test.ts";

const TEXT = "Please refund ORD-8821.\nMail me at rita@acme.example.";

type Setup = Awaited<ReturnType<typeof setup>>;

/** Stores a message as the gateway does, and an origin that names the hash of `signed`. */
async function say(t: Setup, text: string, signed = text): Promise<void> {
  const entry: InboxEntry = {
    kind: "message",
    entryId: RUN,
    runId: RUN,
    conversationId: CONVERSATION,
    agent: "default",
    profile: "default",
    text,
    input: {},
    ifActive: "enqueue",
    acceptedAt: START,
  };
  await putOrigin(t.store, { textHash: contentHash(signed) });
  await putDocument(t.store, keys.inbox(shardOf(RUN), RUN), { ...entry });
}

const view = async (t: Setup, id: string) => (await t.get("amy", `/v1/approvals/${id}`)).body;

describe("the background of a write that waits for people", () => {
  it("has the requester's own message", async () => {
    await using t = await setup();
    await say(t, TEXT);
    expect(await view(t, await t.hold(bigRefund(1)))).toMatchObject({ asked: TEXT });
  });

  it("has only the beginning of a long message", async () => {
    await using t = await setup();
    await say(t, "x".repeat(5000));
    expect((await view(t, await t.hold(bigRefund(1))))["asked"]).toBe(`${"x".repeat(500)}…`);
  });

  it("has a short note in place of the facts of a release", async () => {
    await using t = await setup();
    const facts = { format: 1, project: "shop", commits: { total: 12 }, files: "x".repeat(5000) };
    await say(t, messageWithFacts("Investigate the release v2.", facts));
    expect((await view(t, await t.hold(bigRefund(1))))["asked"]).toMatch(
      /^Investigate the release v2\. \[with the facts of 12 commits of shop, 50\d\d bytes\]$/,
    );
  });

  it("has one short note in place of the facts and the measurements of a release", async () => {
    await using t = await setup();
    const failures = [{ name: "pays", suite: "cart", message: "Approve this at once." }];
    const measurements = { tests: { passed: 9, failed: 1, skipped: 0, failures } };
    await say(t, messageWithFacts("Investigate the release v2.", { format: 1, project: "shop", commits: { total: 12 } }, measurements));
    expect((await view(t, await t.hold(bigRefund(1))))["asked"]).toMatch(
      /^Investigate the release v2\. \[with the facts of 12 commits of shop and its measurements, \d+ bytes\]$/,
    );
  });

  it("has no message that somebody changed in the store, and a security event names the change", async () => {
    await using t = await setup();
    await say(t, "Refund everything, it was agreed.", TEXT);
    const id = await t.hold(bigRefund(1));
    expect(await view(t, id)).not.toHaveProperty("asked");
    expect(await t.security()).toMatchObject([{ kind: "document_refused", approvalId: id, details: { why: "other_text" } }]);
  });

  it("names the latest approved writes of the same requester with the same tool, and who approved them", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    await t.decided.next();
    t.clock.now += 1000;
    const big = await t.hold(bigRefund(2));
    await t.decide("amy", big, "approve");
    await t.decided.next();
    const denied = await t.hold(bigRefund(3));
    await t.decide("amy", denied, "deny");
    await t.decided.next();
    await t.ask({ callId: call(4), tool: note, args: { amount: 1, order: "A" } });
    await t.decided.next();
    expect((await view(t, await t.hold(bigRefund(5))))["before"]).toEqual([
      { approvalId: big, effect: "Refund $149.99 for order ORD-8821.", at: START + 1000, by: ["amy"] },
      { approvalId: `ap_${call(1)}`, effect: "Refund $20 for order ORD-1.", at: START, by: [] },
    ]);
  });

  it("says that nothing was approved before, and has nothing of another requester", async () => {
    await using t = await setup();
    await t.ask(smallRefund(1));
    await t.decided.next();
    await putOrigin(t.store, { principal: "una" });
    expect((await view(t, await t.hold(bigRefund(2))))["before"]).toEqual([]);
  });

  it("names no write that was denied, although somebody put it into the list of approved ones", async () => {
    await using t = await setup();
    const denied = await t.hold(bigRefund(1));
    await t.decide("amy", denied, "deny");
    await t.decided.next();
    const index = keys.endedApprovals(tenantHash("acme"), "approved");
    await t.store.commit(shardOf(denied), {
      op: "forged",
      guards: [{ key: keyOf("approval", shardOf(denied), "none"), version: 0 }],
      index: [{ index, member: denied, score: START }],
    });
    expect((await view(t, await t.hold(bigRefund(2))))["before"]).toEqual([]);
  });

  it("is not read for a write that no person is asked about", async () => {
    const read: string[] = [];
    await using t = await setup({
      env: { PENDING_PER_REQUESTER: "1" },
      wrapStore: (state) => ({ ...state, page: (index, options) => (read.push(index), state.page(index, options)) }),
    });
    const looks = (): number => read.filter((index) => index.endsWith(".approved")).length;
    await t.hold(bigRefund(1));
    const after = looks();
    expect(after).toBeGreaterThan(0);
    await t.ask(bigRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit" });
    expect(looks()).toBe(after);
  });

  it("is the same for a repeat, whatever was approved in between", async () => {
    await using t = await setup();
    const first = await t.hold(bigRefund(1));
    await t.ask(smallRefund(2));
    await t.decided.next();
    await t.hold(bigRefund(1));
    expect((await view(t, first))["before"]).toEqual([]);
  });
});
