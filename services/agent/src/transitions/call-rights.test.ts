import { type Json, keys, shardOf, type ToolRights, topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { callDecided } from "./decided.ts";
import { redispatch } from "./redispatch.ts";
import { asks, bundle, type Bundle, RUN } from "../testing/test-bundle.ts";

const SCOPED = { scopes: ["orders"] } as const;
const DENIED = { status: "denied", error: { code: "policy_denied", class: "ToolPolicyError" } } as const;

/** Returns a run of a requester with these rights. Its model calls a tool that demands the scope "orders", whether or not the tool was offered. */
async function called(rights: ToolRights, calls = [asks("look")]): Promise<Bundle> {
  const b = bundle({ ...SCOPED, rights });
  await b.start();
  await b.sent();
  await b.turn(calls);
  return b;
}

/** Replaces the rights of the run, as if it now belonged to somebody else. */
async function withRights(b: Bundle, rights: ToolRights | null): Promise<void> {
  const { version, value } = (await b.snapshot()).run;
  const { rights: _, ...run } = value;
  const changed = { ...run, ...(rights ? { rights } : {}) } as unknown as Json;
  await b.state.commit(shardOf(RUN), {
    op: "rights",
    guards: [{ key: keys.run(RUN), version }],
    put: [{ key: keys.run(RUN), value: changed }],
  });
}

const topicsOf = async (b: Bundle): Promise<readonly string[]> => (await b.sent()).map(({ topic }) => topic);

describe("a call that the requester of its run may not make", () => {
  it.each([
    ["lacks its scope", { scopes: ["refunds"] }, 'The requester lacks the scope \\"orders\\" that \\"look\\" requires.'],
    ["has a key for another toolset", { scopes: ["orders"], tools: ["web"] }, 'may not use \\"look\\" of the toolset \\"test\\"'],
    ["has a key for another tool of its toolset", { scopes: ["orders"], tools: ["test/change"] }, 'may not use \\"look\\"'],
    ["has a key for no tool at all", { scopes: ["orders"], tools: [] }, 'may not use \\"look\\"'],
  ])("is answered as refused by the policy and sent to nobody, if the requester %s", async (_, rights, words) => {
    const b = await called(rights);
    expect((await b.call(0)).result).toMatchObject({ ...DENIED, content: expect.stringContaining(words) });
    // The event for the person has the format of a refusal.
    const seen = (await b.events()).find((event) => event.type === "call.resolved");
    expect(JSON.parse(seen?.content ?? "")).toMatchObject({ class: "ToolPolicyError", reason: "POLICY_DENIED", retryable: false });
    expect(await topicsOf(b)).toEqual([topics.runWake]);
  });

  it.each([
    { scopes: ["orders", "refunds"] },
    { scopes: ["orders"], tools: ["test"] },
    { scopes: ["orders"], tools: ["web", "test/look"] },
  ])("is not one with %j, which is sent", async (rights) => {
    const b = await called(rights);
    expect(await topicsOf(b)).toEqual(["tool.invoke.test"]);
  });

  it("skips, if it is a write, the later writes of its turn, and asks nobody for an approval", async () => {
    const b = await called({ scopes: ["orders"], tools: ["test/look"] }, [
      asks("change", "a"),
      asks("look", "b"),
      asks("change", "c", { n: 2 }),
    ]);
    expect((await b.call(0)).result).toMatchObject(DENIED);
    expect((await b.call(1)).state).toBe("dispatched");
    expect((await b.call(2)).result).toMatchObject({ error: { code: "skipped" } });
    expect(await topicsOf(b)).toEqual(["tool.invoke.test"]);
  });

  it("is not sent again", async () => {
    const b = await called({ scopes: ["orders"] });
    await b.sent();
    await withRights(b, { scopes: [] });
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules, { asked: true, unproven: false, forgetful: false }));
    expect((await b.call(0)).result).toMatchObject(DENIED);
    expect(await topicsOf(b)).not.toContain("tool.invoke.test");
  });

  it("is not asked for again if it is a write that waits for its grant", async () => {
    const b = await called({ scopes: ["orders"] }, [asks("change")]);
    await b.sent();
    await withRights(b, { scopes: [] });
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules));
    expect((await b.call(0)).result).toMatchObject(DENIED);
    expect(await topicsOf(b)).not.toContain("approval.request");
  });

  it("is not sent with its grant if it is a write", async () => {
    const b = await called({ scopes: ["orders"] }, [asks("change")]);
    await b.sent();
    await withRights(b, { scopes: [] });
    const { now } = await b.snapshot();
    const decided = { toolCallId: `${RUN}.1.0`, approvalId: `ap_${RUN}.1.0`, outcome: "approved", grantExpiresAt: now + 900_000 } as const;
    await b.commit(callDecided(await b.snapshot(), decided, "a.grant.text", b.rules));
    expect((await b.call(0)).result).toMatchObject(DENIED);
    expect(await topicsOf(b)).not.toContain("tool.invoke.test");
  });

  it("continues in a run that began before rights were kept with it", async () => {
    const b = await called({ scopes: ["orders"] });
    await b.sent();
    await withRights(b, null);
    b.advance(20_000);
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules));
    expect(await topicsOf(b)).toEqual(["tool.invoke.test"]);
  });
});

describe("a write that was sent", () => {
  it("ends by its ledger, whatever rights its requester has now", async () => {
    const b = await called({ scopes: ["orders"] }, [asks("change")]);
    const { now } = await b.snapshot();
    const decided = { toolCallId: `${RUN}.1.0`, approvalId: `ap_${RUN}.1.0`, outcome: "approved", grantExpiresAt: now + 900_000 } as const;
    await b.commit(callDecided(await b.snapshot(), decided, "a.grant.text", b.rules));
    await withRights(b, { scopes: [] });
    await b.commit(redispatch(await b.snapshot(), `${RUN}.1.0`, null, b.rules));
    expect((await b.call(0)).state).toBe("dispatched");
  });
});
