import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { bigRefund, call, smallRefund, START } from "../testing/writes-under-test.ts";

const MINUTE = 60_000;

describe("a cancelled write", () => {
  it("that was pending ends as cancelled, once, and can no longer be decided", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    const token = await t.token("amy", id);
    await t.cancel(call(1));
    await t.cancel(call(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "cancelled", reason: "The run was cancelled." });
    expect(await t.post("amy", id, { decision: "approve", token })).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect((await t.get("amy", "/v1/approvals")).body["approvals"]).toEqual([]);
    expect((await t.audit()).filter(({ event }) => event === "cancelled")).toHaveLength(1);
  });

  it("that was approved gets no more fresh grants", async () => {
    await using t = await setup();
    const id = await t.ask(smallRefund(1));
    await t.decided.next();
    await t.cancel(call(1));
    await t.hold(bigRefund(2));
    await until(async () => (await t.stored(id)).grant?.executeBy === START);
    t.clock.now += 16 * MINUTE;
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "expired" });
  });
});

describe("an approval that nobody decides", () => {
  it("expires by the store's clock, notifies the agent once and leaves no timer", async () => {
    await using t = await setup();
    const id = await t.hold(bigRefund(1));
    t.clock.now += 15 * MINUTE;
    expect((await t.decided.next()).body).toMatchObject({ toolCallId: call(1), outcome: "expired", decidedBy: [] });
    expect(await t.stored(id)).toMatchObject({ status: "expired", endedAt: t.clock.now });
    t.clock.now += 60 * MINUTE;
    expect(await t.store.claim("approvals", "timer", { limit: 10, visibleAfter: 1 })).toEqual([]);
  });

  it("expires in a new process too", async () => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    await t.restart();
    t.clock.now += 15 * MINUTE;
    expect((await t.decided.next()).body).toMatchObject({ outcome: "expired" });
  });
});
