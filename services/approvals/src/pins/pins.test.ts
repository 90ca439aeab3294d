import { HOME_SHARD, keys, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { claimsOf, setup, until } from "../testing/approvals-under-test.ts";
import { putDocument, refund, register, requestMessage, smallRefund, START } from "../testing/writes-under-test.ts";

describe("pins", () => {
  it("are not made automatically unless PIN_ON_FIRST_SIGHT is on", async () => {
    await using t = await setup({ env: { PIN_ON_FIRST_SIGHT: "false" } });
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/operator has to enable/) });
  });

  it("are never made automatically for tools that an external server describes", async () => {
    await using t = await setup({ tools: [] });
    const foreign = { ...refund, source: "mcp:shop" };
    await register(t.store, foreign, START);
    await t.ask({ ...smallRefund(1), tool: foreign });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/operator has to enable/) });
  });

  it("follow a changed definition that is no less strict, when a request names it", async () => {
    await using t = await setup();
    const changed = { ...refund, version: "2", description: "Pays money back, again." };
    await register(t.store, changed, START + 1);
    await t.ask({ ...smallRefund(1), tool: changed });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    // The former version is still registered, for the runs that began with it.
    await t.ask(smallRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    expect(await t.audit(HOME_SHARD)).toMatchObject(Array.from({ length: 5 }, () => ({ event: "pinned", by: "first_sight" })));
  });

  it("grant versions side by side, the newest by number, in whatever order they were registered", async () => {
    await using t = await setup({ tools: [] });
    const versions = ["9", "10"].map((version) => ({ ...refund, version }));
    for (const tool of versions.toReversed()) await register(t.store, tool, START);
    for (const [n, tool] of versions.entries()) {
      await t.ask({ ...smallRefund(n), tool });
      expect(claimsOf(await t.decided.next())).toMatchObject({ toolVersion: tool.version });
    }
    expect((await t.store.read([keys.pin(refund.name)])).documents[0]?.value).toMatchObject({ definition: { version: "10" } });
  });

  it("no longer grant an older version once a newer one is stricter", async () => {
    await using t = await setup();
    const [equal, stricter] = [
      { ...refund, version: "2" },
      { ...refund, version: "3", risk: { tier: "critical" as const } },
    ];
    await register(t.store, equal, START + 1);
    for (const [n, tool] of [equal, refund].entries()) {
      await t.ask({ ...smallRefund(n), tool });
      expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    }
    await register(t.store, stricter, START + 2);
    await t.ask({ ...smallRefund(2), tool: stricter });
    await t.held.next();
    await t.ask(smallRefund(3));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/version 3/) });
  });

  it("stay when a changed definition is less strict, or another toolset takes the name", async () => {
    await using t = await setup();
    const weaker = { ...refund, version: "2", risk: { tier: "low" as const } };
    await register(t.store, weaker, START + 1);
    await register(t.store, { ...refund, version: "3" }, START + 2, "intruder");
    for (const [n, tool] of [
      [1, weaker],
      [2, { ...refund, version: "3" }],
    ] as const) {
      await t.ask({ ...smallRefund(n), tool });
      expect((await t.decided.next()).body).toMatchObject({ outcome: "refused" });
    }
    await t.ask(smallRefund(3));
    expect(claimsOf(await t.decided.next())).toMatchObject({ aud: "tb-executor:orders" });
  });

  it("are made from a toolset's announcements", async () => {
    await using t = await setup({ tools: [] });
    await register(t.store, refund, START);
    const parts = {
      topic: topics.toolAnnounce,
      type: "toolbus.tool.announce",
      source: "/workers/orders",
      now: START,
      id: "announce:orders#1",
    };
    await t.bus.announce({
      ...requestMessage(smallRefund(1), 0, START),
      ...parts,
      body: JSON.stringify({ toolset: "orders", tools: ["issue_refund"] }),
    });
    const pinned = async () => (await t.store.read([keys.pin("issue_refund")])).documents[0]?.value;
    await until(async () => (await pinned()) !== undefined);
    expect(await pinned()).toMatchObject({ toolset: "orders", enabled: true });
  });

  it("leave out inconsistent registrations", async () => {
    await using t = await setup({ tools: [] });
    await register(t.store, refund, START);
    const key = keys.registration("orders", refund.name, refund.version);
    const { documents } = await t.store.read([key]);
    await putDocument(t.store, key, { ...(documents[0]?.value as object), definition: { ...refund, risk: { tier: "low" } } });
    await t.ask(smallRefund(1));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/not enabled/) });
  });
});
