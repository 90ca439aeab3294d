import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { until } from "../../testing/approvals-under-test.ts";
import { CHANNEL, slacked, textsIn, TOKEN } from "../../testing/slacked-under-test.ts";
import { asks, plan, planned, plansUnderTest } from "../../testing/plans-under-test.ts";
import { bigRefund, bigWire } from "../../testing/writes-under-test.ts";

const buttonsOf = (message: unknown): readonly string[] =>
  [...JSON.stringify(message).matchAll(/"action_id":"toolbus:(\w+)"/g)].map(([, id = ""]) => id);

/** Returns a store in which the change with this op fails as if the process had died, for as long as `fails` returns true. */
const dyingAt =
  (op: string, fails: () => boolean) =>
  (store: StateStore): StateStore => ({
    ...store,
    async commit(shard, change) {
      if (fails() && change.op.startsWith(op)) throw new Error("The process dies here.");
      return store.commit(shard, change);
    },
  });

describe("a channel of Slack", () => {
  it("shows a held write as a message with buttons, and its outcome without buttons, whoever decided where", async () => {
    await using s = await slacked({ env: { APPROVALS_PUBLIC_URL: "https://approvals.example.com" } });
    const id = await s.t.hold(bigRefund(1));
    const [message] = await s.called("chat.postMessage", 1);
    expect(s.slack.calls[0]?.token).toBe(`Bearer ${TOKEN}`);
    expect(message).toMatchObject({ channel: CHANNEL, unfurl_links: false });
    expect(buttonsOf(message)).toEqual(["approve", "deny", "edit", "revise", "page"]);
    expect(textsIn(message).join("\n")).toContain("Refund $149.99 for order ORD-8821.");
    await s.settled("approval.held", id);
    await s.t.decide("ben", id, "deny", { comment: "Not this week." });
    const [update] = await s.called("chat.update", 1);
    expect(update).toMatchObject({ channel: CHANNEL, ts: "1700000000.000001" });
    expect(buttonsOf(update)).toEqual(["page"]);
    expect(textsIn(update).join("\n")).toMatch(/This no longer waits: rejected[^]*deny by ben: Not this week\./);
    await s.settled("approval.ended", id);
    expect([s.slack.calls.length, await s.givenUp()]).toEqual([2, []]);
  });

  it("gets a reminder as a reply, and sees that a write has expired", async () => {
    await using s = await slacked({ env: { APPROVAL_REMINDER_PERCENT: "50" } });
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    s.t.clock.now += 450_000;
    const [, reminder] = await s.called("chat.postMessage", 2);
    expect(reminder).toMatchObject({ thread_ts: "1700000000.000001", reply_broadcast: true });
    await s.settled("approval.reminder", id);
    s.t.clock.now += 450_000;
    const [update] = await s.called("chat.update", 1);
    expect(buttonsOf(update)).toEqual([]);
    expect(textsIn(update).join("\n")).toContain("expired");
  });

  it("gets a message when the plan of a write has arrived, and is told as a reply if its target has changed after the approval", async () => {
    await using s = await slacked({ tools: [planned] });
    const worker = await plansUnderTest(s.t);
    const id = await s.t.hold(asks(100));
    await worker.plans(id, asks(100), plan(300, 200));
    const [message] = await s.called("chat.postMessage", 1);
    expect(textsIn(message).join("\n")).toMatch(/What changes, by the worker's plan:\n *balance: 300 → 200/);
    await worker.approve("amy", id);
    await worker.say(asks(100), { plan: plan(50, -50), drifted: 1 });
    const [, reply] = await s.called("chat.postMessage", 2);
    expect(reply).toMatchObject({ thread_ts: "1700000000.000001", reply_broadcast: true });
    expect(textsIn(reply).join("\n")).toContain("The target has changed since this was approved");
    await until(async () => buttonsOf(s.slack.calls.findLast(({ method }) => method === "chat.update")?.body).includes("approve"));
  });

  it("gets no buttons if nobody of its workspace may decide there", async () => {
    await using s = await slacked({ asks: false });
    await s.t.hold(bigRefund(1));
    const [message] = await s.called("chat.postMessage", 1);
    expect(buttonsOf(message)).toEqual([]);
    expect(textsIn(message).join("\n")).toContain("toolbus approvals show ap_");
  });

  it.each([
    ["answers 500", { status: 500, body: {} }, "it answered 500"],
    [
      "asks for time with 429",
      { status: 429, headers: { "retry-after": "30" }, body: { ok: false, error: "ratelimited" } },
      "it answered 429",
    ],
    ["asks for time with 200", { body: { ok: false, error: "ratelimited" } }, "it refused (ratelimited)"],
    ["answers with something else", { body: { ok: "yes" } }, "its answer is not one of Slack's"],
  ])("that %s gets the message later, and nothing is lost", async (_, reply, reason) => {
    let down = true;
    await using s = await slacked({ reply: () => (down ? reply : {}) });
    const id = await s.t.hold(bigRefund(1));
    expect(await s.retried("approval.held", id)).toBe(reason);
    if ("headers" in reply) {
      // The next delivery that is due is that of another write, because the first one waits for as long as Slack asked.
      const other = await s.t.hold(bigRefund(2));
      const [, second] = await s.called("chat.postMessage", 2);
      expect(JSON.stringify(second)).toContain(`"value":"${other}"`);
      s.t.clock.now += 30_000;
    }
    down = false;
    await s.called("chat.postMessage", 2);
    await s.settled("approval.held", id);
    expect(await s.givenUp()).toEqual([]);
  });

  it.each(["invalid_auth", "channel_not_found"])(
    "that refuses the message (%s) is visible at once, and can be told again after a repair",
    async (error) => {
      let refuses = true;
      await using s = await slacked({ reply: () => (refuses ? { body: { ok: false, error } } : {}) });
      const id = await s.t.hold(bigRefund(1));
      await until(async () => (await s.givenUp()).length === 1);
      const [given] = await s.givenUp();
      expect(given).toMatchObject({
        channel: "slack",
        target: "chat",
        subject: id,
        attempts: 1,
        state: "failed",
        reason: `it refused (${error})`,
      });
      refuses = false;
      expect((await s.t.request("otto", `/v1/webhooks/${given?.id ?? ""}/send`, { method: "POST" })).status).toBe(202);
      await s.called("chat.postMessage", 2);
    },
  );

  it("never keeps buttons: an approval that ends while its message is posted is updated at once", async () => {
    const posting = Promise.withResolvers<void>();
    await using s = await slacked({ reply: ({ method }) => (method === "chat.postMessage" ? { after: posting.promise } : {}) });
    const id = await s.t.hold(bigRefund(1));
    await s.called("chat.postMessage", 1);
    await s.t.decide("amy", id, "approve");
    await s.settled("approval.ended", id);
    expect(s.slack.of("chat.update")).toEqual([]);
    posting.resolve();
    const [update] = await s.called("chat.update", 1);
    expect(buttonsOf(update)).toEqual([]);
  });

  it("is updated by the next process if the first one dies between the decision and the update", async () => {
    let down = false;
    await using s = await slacked({ reply: () => (down ? { status: 503, body: {} } : {}) });
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    down = true;
    await s.t.decide("amy", id, "approve");
    await s.retried("approval.ended", id);
    down = false;
    await s.t.restart();
    await s.called("chat.update", 2);
    await s.settled("approval.ended", id);
    expect(await s.givenUp()).toEqual([]);
  });

  it("may get a message twice if the first one could not be recorded, and the second one is updated", async () => {
    let fails = true;
    await using s = await slacked({ wrapStore: dyingAt("slack:", () => fails) });
    const id = await s.t.hold(bigRefund(1));
    await s.called("chat.postMessage", 1);
    await s.retried("approval.held", id);
    fails = false;
    await s.called("chat.postMessage", 2);
    await s.settled("approval.held", id);
    await s.t.decide("amy", id, "approve");
    expect((await s.called("chat.update", 1))[0]).toMatchObject({ ts: "1700000000.000002" });
    // Somebody presses a button of the first message. Then this message shows the outcome too.
    expect(await s.press(id, "deny", "U2")).toEqual({ status: 200, body: {} });
    expect((await s.called("chat.update", 2))[1]).toMatchObject({ ts: "1700000000.000001" });
    expect((await s.called("chat.postEphemeral", 1))[0]).toMatchObject({ user: "U2", text: 'This ended as "approved".' });
  });

  it("reads the outcome below a message whose name was lost, if the write has ended before it could be posted again", async () => {
    let fails = true;
    await using s = await slacked({ wrapStore: dyingAt("slack:", () => fails) });
    const id = await s.t.hold(bigRefund(1));
    await s.called("chat.postMessage", 1);
    await s.t.decide("amy", id, "deny");
    await s.settled("approval.ended", id);
    fails = false;
    await s.retried("approval.held", id);
    const [, outcome] = await s.called("chat.postMessage", 2);
    expect([buttonsOf(outcome), textsIn(outcome)[1]]).toEqual([[], "This no longer waits: rejected"]);
    await s.settled("approval.held", id);
    expect(s.slack.calls).toHaveLength(2);
  });

  it("shows the first of two approvals too", async () => {
    await using s = await slacked();
    const id = await s.t.hold(bigWire(1));
    await s.settled("approval.held", id);
    await s.submit(id, "approve", "U1", { ticket: "CHG-1" });
    const [update] = await s.called("chat.update", 1);
    expect(textsIn(update).join("\n")).toMatch(/pending, 1 of 2 approvers[^]*approve by amy: \(ticket CHG-1, via slack:T1\)/);
    expect(buttonsOf(update)).toEqual(["approve", "deny", "edit", "revise"]);
  });

  it("ends with the newest state although an older update arrives after it", async () => {
    const slow = Promise.withResolvers<void>();
    await using s = await slacked({
      reply: ({ method }, count) => (method === "chat.update" && count === 1 ? { after: slow.promise } : {}),
    });
    const id = await s.t.hold(bigWire(1));
    await s.settled("approval.held", id);
    await s.submit(id, "approve", "U1", { ticket: "CHG-1" });
    await s.called("chat.update", 1);
    await s.t.decide("ben", id, "approve");
    await s.settled("approval.ended", id);
    expect(s.slack.of("chat.update")).toHaveLength(2);
    slow.resolve();
    const updates = await s.called("chat.update", 3);
    expect(updates.map((update) => buttonsOf(update).length)).toEqual([4, 0, 0]);
  });
});
