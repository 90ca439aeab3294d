import { type Call, HOME_SHARD, type JsonObject, keys, SEEN_FOR_MS, type Wait } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { completed } from "../testing/agent-under-test.ts";
import { setup, START } from "../testing/gateway-under-test.ts";

const SENT: Partial<Call> = { state: "dispatched", dispatch: 1, sentAt: START };

describe("what a run waits for", () => {
  it("is an agent, while none has taken it", async () => {
    await using t = await setupRun({ take: false });
    expect(await t.waits()).toEqual([{ kind: "agent", says: "No agent has taken the run yet.", since: START }]);
  });

  it("is its turn in the conversation, behind the active run and the earlier ones", async () => {
    await using t = await setupRun({ take: false });
    await t.agent.take(t.runId, { status: "queued" });
    const queue = ["rn_x", t.runId].map((runId, accepted) => ({ runId, accepted, interrupts: false }));
    await t.agent.keep(t.conversationId, { activeRun: "rn_a", queue });
    expect(await t.waits()).toMatchObject([
      {
        kind: "turn",
        says: "It waits for its turn in the conversation: rn_a and 1 run that was accepted before it come first.",
        position: 2,
      },
    ]);
  });

  it("is the model, which is asked now or again at a known time, or an agent if none works on it", async () => {
    await using t = await setupRun({ take: false });
    await t.agent.take(t.runId, { status: "ready", lease: { by: "a", since: START, until: START + 1000 } });
    expect(await t.waits()).toEqual([{ kind: "model", says: "An agent asks the model.", since: START }]);
    t.clock.now += 2000;
    expect(await t.waits()).toMatchObject([{ kind: "agent", says: "It is ready for its next step, and no agent works on it." }]);
    await using again = await setupRun({ take: false });
    const failed = { notBefore: START + 5000, modelFailures: { count: 2, waitMs: 5000 } };
    await again.agent.take(again.runId, { status: "ready", ...failed });
    expect(await again.waits()).toEqual([{ kind: "model", says: "The model is asked again after 2 failures.", until: START + 5000 }]);
  });

  it("is a worker, if none was seen lately, with when the last one was seen", async () => {
    await using t = await setupRun();
    await t.agent.call(`${t.runId}.1.0`, SENT);
    expect(await t.waits()).toMatchObject([{ kind: "worker", says: "No worker serves this version of issue_refund any more." }]);
    await t.register({});
    expect(await t.waits()).toMatchObject([{ kind: "tool", says: "It was sent to its worker: issue_refund." }]);
    t.clock.now += SEEN_FOR_MS + 1;
    const at = new Date(START).toISOString().slice(0, 19).replace("T", " ");
    expect(await t.waits()).toMatchObject([
      { kind: "worker", says: `There is no worker for issue_refund: the last one was seen at ${at} UTC.`, since: START },
    ]);
    await t.register({ leftAt: START + 1000 });
    const left = new Date(START + 1000).toISOString().slice(0, 19).replace("T", " ");
    expect(await t.waits()).toMatchObject([
      { kind: "worker", says: `There is no worker for issue_refund: the last one stopped at ${left} UTC.`, since: START + 1000 },
    ]);
    await t.register({ lastSeenAt: t.clock.now, unavailable: { since: START, reason: "the shop is down" } });
    expect(await t.waits()).toMatchObject([{ kind: "worker", says: "The worker of issue_refund cannot use it: the shop is down." }]);
  });

  it("is never longer than the call, although its worker has been gone for longer", async () => {
    await using t = await setupRun();
    const sentAt = START + SEEN_FOR_MS + 60_000;
    await t.agent.call(`${t.runId}.1.0`, { ...SENT, createdAt: sentAt, sentAt });
    await t.register({ leftAt: START + 1000 });
    t.clock.now = sentAt + 5000;
    expect(await t.waits()).toMatchObject([{ kind: "worker", says: expect.stringMatching(/the last one stopped at/), since: sentAt }]);
    await t.register({ lastSeenAt: t.clock.now, unavailable: { since: START, reason: "the shop is down" } });
    expect(await t.waits()).toMatchObject([{ kind: "worker", since: sentAt }]);
  });

  it("is a worker that is alive and answers nothing, once it had the time to answer", async () => {
    await using t = await setupRun();
    const sent = { ...SENT, kind: "read", dispatch: 3, createdAt: START, sentAt: START + 20_000, timeoutMs: 10_000 } as const;
    await t.agent.call(`${t.runId}.1.0`, sent);
    await t.register({});
    t.clock.now += 40_000;
    const seen = `No answer has come yet. A worker of it was last seen at ${new Date(START).toISOString().slice(0, 19).replace("T", " ")} UTC, and a living one is seen every 30 s.`;
    expect(await t.waits()).toMatchObject([{ kind: "tool", says: `It was sent to its worker: issue_refund, 3 times. ${seen}` }]);
    t.clock.now += 1;
    const says =
      "issue_refund was sent 3 times. A worker is alive and has not answered: it is busy or hangs, or its BUS_URL names another bus or namespace.";
    expect(await t.waits()).toMatchObject([{ kind: "worker", says, since: START }]);
    await t.agent.call(`${t.runId}.1.0`, { ...sent, dispatch: 2 });
    expect(await t.waits()).toMatchObject([{ kind: "tool" }]);
    await t.agent.call(`${t.runId}.1.0`, { ...sent, kind: "write", sentAt: START + 30_000 });
    const orRefused =
      "issue_refund was sent 3 times. A worker is alive and has not answered, or its signature was refused: it is busy or hangs, its BUS_URL names another bus or namespace, or its RECEIPT_KEY_FILE is not the key of its toolset.";
    expect(await t.waits()).toMatchObject([{ kind: "worker", says: orRefused, since: START }]);
    await t.agent.call(`${t.runId}.1.0`, { ...sent, kind: "write", ledger: { state: "begun", attempt: 1, since: START } });
    expect(await t.waits()).toMatchObject([{ kind: "tool", says: expect.stringContaining("Its ledger: begun") as string }]);
    await using cancelled = await setupRun({ take: false });
    await cancelled.agent.take(cancelled.runId, { cancel: { entryId: `${cancelled.runId}!cancel`, by: "una", at: START } });
    await cancelled.agent.call(`${cancelled.runId}.1.0`, sent);
    await cancelled.register({});
    cancelled.clock.now += 40_001;
    expect(await cancelled.waits()).toMatchObject([{ kind: "tool", says: expect.stringMatching(/^The run is cancelled/) as string }]);
  });

  it("counts from the first sending, also if the call was sent again, and without the time in which people decided", async () => {
    await using t = await setupRun();
    t.clock.now += 80_000;
    await t.register({});
    const sent = { ...SENT, kind: "write", dispatch: 4, createdAt: START, sentAt: START + 70_000, timeoutMs: 120_000 } as const;
    const since = async (run: typeof t, call: Partial<Call>) => {
      await run.agent.call(`${run.runId}.1.0`, { ...sent, ...call });
      return (await run.waits())[0]?.since;
    };
    expect(await since(t, {})).toBe(START);
    expect(await since(t, { kind: "read" })).toBe(START);
    expect(await since(t, { heldMs: 20_000 })).toBe(START + 20_000);
    expect(await since(t, { heldMs: 75_000 })).toBe(START + 70_000);
    expect(await since(t, { state: "requested", requests: 4 })).toBe(START);
    // A write of a round with other writes may have waited for them.
    await using two = await setupRun({ take: false });
    const calls = [1, 2].map((index) => ({ callId: `${two.runId}.1.${index}`, write: true, resolved: true }));
    await two.agent.take(two.runId, { status: "waiting", calls });
    two.clock.now += 80_000;
    await two.register({});
    expect(await since(two, {})).toBe(START + 70_000);
  });

  it("says of a sent write what its worker's ledger said when the agent last looked", async () => {
    await using t = await setupRun();
    await t.register({});
    const at = `${new Date(START).toISOString().slice(0, 19).replace("T", " ")} UTC`;
    const says = async (ledger: Call["ledger"]) => {
      await t.agent.call(`${t.runId}.1.0`, { ...SENT, ...(ledger ? { ledger } : {}) });
      return (await t.waits())[0];
    };
    expect(await says({ state: "begun", attempt: 1, since: START })).toMatchObject({
      says: `It was sent to its worker: issue_refund. Its ledger: begun at ${at}, nothing sent to the target yet.`,
    });
    const sending = { state: "sending", attempt: 2, since: START, leaseUntil: START + 1 } as const;
    expect(await says(sending)).toMatchObject({
      says: `It was sent to its worker: issue_refund. Its ledger: sent to the target at ${at}, attempt 2; it may have happened, and no outcome is recorded yet.`,
      ledger: sending,
    });
    t.clock.now += SEEN_FOR_MS + 1;
    expect((await t.waits())[0]?.says).toMatch(
      /^There is no worker for issue_refund: .* it may have happened, and no outcome is recorded yet\.$/,
    );
  });

  it("is also in the answers of POSTs: of one that starts a run, and of one that cancels it", async () => {
    await using t = await setupRun({ take: false });
    const begun = await t.ask("una", "/v1/investigations", { method: "POST", body: { releaseId: "v3" } });
    expect(begun.body["waits"]).toEqual([{ kind: "agent", says: "No agent has taken the run yet.", since: START }]);
    await t.agent.take(t.runId);
    await t.agent.call(`${t.runId}.1.0`, { state: "held", approvalId: "ap_1", heldSince: START });
    const cancelled = await t.ask("una", `/v1/runs/${t.runId}/cancel`, { method: "POST" });
    expect(cancelled.status).toBe(202);
    expect(cancelled.body["waits"]).toMatchObject([{ kind: "approval", callId: `${t.runId}.1.0` }]);
  });

  it("is listed for every open call, in their order", async () => {
    await using t = await setupRun();
    const call = (index: number) => `${t.runId}.1.${index}`;
    await t.agent.call(call(0), { state: "requested", requests: 3 });
    await t.agent.call(call(1), { state: "held", approvalId: "ap_1", approvalExpiresAt: START + 900_000, heldSince: START });
    await t.agent.call(call(2), { state: "asked", toolName: "ask_user" });
    await t.agent.call(call(3), { state: "granted" });
    await t.agent.call(call(4), { state: "resolved" });
    expect((await t.waits()).map(({ kind, callId }) => [kind, callId])).toEqual([
      ["approvals", call(0)],
      ["approval", call(1)],
      ["answer", call(2)],
      ["calls", call(3)],
    ]);
    expect((await t.waits())[0]?.says).toBe("The approvals service was asked about issue_refund, 3 times, and has not answered.");
    expect((await t.waits())[1]).toMatchObject({ approvalId: "ap_1", since: START, until: START + 900_000 });
  });

  it("is a new grant, if the write was approved before and its grant is stale, and a worker if the tool was changed in the meantime", async () => {
    await using t = await setupRun();
    const again: Partial<Call> = { state: "requested", requests: 6, grant: "g", dispatch: 2, toolHash: "sha256-x" };
    await t.register({});
    await t.agent.call(`${t.runId}.1.0`, again);
    expect(await t.waits()).toMatchObject([
      {
        kind: "approvals",
        says: "issue_refund was approved, but its grant is stale. The agent asks the approvals service for a new one.",
      },
    ]);
    await t.register({ hash: "sha256-changed" });
    expect(await t.waits()).toMatchObject([
      {
        kind: "worker",
        says: "The definition of issue_refund was changed under version 1 after this run began. The approval is for the earlier one. If the workers refuse that one several times, the agent ends the call.",
      },
    ]);
  });

  it("is so many people as the tier takes, with which scope and who not, and fewer once somebody has approved", async () => {
    await using t = await setupRun();
    const held = async (part: Partial<Call>) => {
      await t.agent.call(`${t.runId}.1.0`, { state: "held", approvalId: "ap_1", ...part });
      return (await t.waits())[0];
    };
    expect(await held({ approvalTier: "high" })).toMatchObject({
      says: "issue_refund waits for a person to decide (high tier): an approver with the scope approve:high or approve:*, other than una, who asked for it.",
      tier: "high",
      scopes: ["approve:high", "approve:*"],
      approversNeeded: 1,
      notBy: ["una"],
    });
    expect(await held({ approvalTier: "critical" })).toMatchObject({
      says: "issue_refund waits for 2 people to decide (critical tier): approvers with the scope approve:critical or approve:*, other than una, who asked for it.",
      approversNeeded: 2,
    });
    expect(await held({ approvalTier: "critical", approvedSoFar: ["amy"] })).toMatchObject({
      says: "issue_refund waits for 1 more person to decide (critical tier): an approver with the scope approve:critical or approve:*, other than una, who asked for it, and amy, who approved it.",
      approversNeeded: 1,
      approvedBy: ["amy"],
    });
    expect((await held({}))?.says).toBe("issue_refund waits for a person to decide.");
  });

  it("is the outcome of what was sent, when the run is cancelled", async () => {
    await using t = await setupRun();
    await t.register({});
    await t.agent.call(`${t.runId}.1.0`, SENT);
    await t.agent.cancel(t.runId);
    expect((await t.waits())[0]?.says).toBe("The run is cancelled and waits for the outcome of a sent call: issue_refund.");
  });

  it("is nothing once it has ended", async () => {
    await using t = await setupRun();
    await t.agent.say(t.runId, completed);
    expect((await t.ask("una", t.url)).body["waits"]).toBeUndefined();
  });
});

/** Starts a gateway with one run of una's. */
async function setupRun({ take = true }: { readonly take?: boolean } = {}) {
  const t = await setup();
  const runId = await t.accepted();
  if (take) await t.agent.take(runId);
  const url = `/v1/runs/${runId}`;
  const { conversationId } = (await t.ask("una", url)).body as { conversationId: string };
  return {
    ...t,
    runId,
    url,
    conversationId,
    waits: async () => (await t.ask("una", url)).body["waits"] as Wait[],
    /** Registers the tool that every call by hand uses, as a worker does. */
    async register(part: JsonObject): Promise<void> {
      const key = keys.registration("orders", "issue_refund", "1");
      const { documents } = await t.store.read([key]);
      const definition = {
        name: "issue_refund",
        version: "1",
        description: "Refunds an order.",
        parameters: { type: "object" },
        kind: "write",
        risk: { tier: "high" },
        idempotency: { mode: "none" },
        timeoutMs: 1000,
        source: "orders",
      };
      const value: JsonObject = { toolset: "orders", definition, hash: "sha256-x", registeredAt: START, lastSeenAt: START, ...part };
      const guards = [{ key, version: documents[0]?.version ?? 0 }];
      await t.store.commit(HOME_SHARD, {
        op: `registered ${JSON.stringify(part)}`,
        guards,
        put: [{ key, value }],
      });
    },
  };
}
