import { type ApprovalDecided, type LedgerRow, topics, type ToolResult } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { callDecided, callHeld } from "./decided.ts";
import { grantStale } from "./redispatch.ts";
import { grantFor } from "../testing/grant-for.ts";
import { asks, bundle } from "../testing/test-bundle.ts";

/** Returns a run whose only write waits for people. */
async function held() {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w1", { n: 1 })]);
  const { callId } = await b.call(0);
  const approvalId = `ap_${callId}`;
  const expiresAt = (await b.snapshot()).now + 900_000;
  await b.commit(callHeld(await b.snapshot(), { toolCallId: callId, approvalId, tier: "high", expiresAt, effect: "Changes it." }, b.rules));
  await b.sent();
  const decide = async (part: Pick<ApprovalDecided, "outcome" | "comment" | "reason">): Promise<ToolResult | undefined> => {
    await b.commit(callDecided(await b.snapshot(), { toolCallId: callId, approvalId, ...part }, undefined, b.rules));
    return (await b.call(0)).result;
  };
  return { b, approvalId, decide };
}

describe("writes that people decide", () => {
  it("are not sent before the decision, whatever else is done, and an approved one takes its turn", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("look", "r"), asks("change", "w1", { n: 1 }), asks("change", "w2", { n: 2 })]);
    await b.answer(0);
    await b.sent();
    const { now } = await b.snapshot();
    for (const index of [1, 2]) {
      const { callId: toolCallId } = await b.call(index);
      const words = {
        approvalId: `ap_${toolCallId}`,
        tier: "high",
        expiresAt: now + 900_000,
        effect: "Sends sk-proj-abcdefghijklmnop1234.",
      } as const;
      await b.commit(callHeld(await b.snapshot(), { toolCallId, ...words }, b.rules));
    }
    const { callId: toolCallId } = await b.call(2);
    const approved = { toolCallId, approvalId: `ap_${toolCallId}`, outcome: "approved", grantExpiresAt: now + 900_000 } as const;
    await b.commit(callDecided(await b.snapshot(), approved, "a.b.c", b.rules));
    expect(await b.sent()).toEqual([]);
    expect([(await b.call(1)).state, (await b.call(2)).state]).toEqual(["held", "granted"]);
    const reported = (await b.events()).filter((event) => event.type === "call.held");
    expect(reported.map(({ effect }) => effect)).toEqual(["Sends [redacted].", "Sends [redacted]."]);
  });
});

describe("a write that takes two people", () => {
  it("keeps who has approved it so far, tells people once that it is held, and names both when it is granted", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w1", { n: 1 })]);
    const { callId: toolCallId } = await b.call(0);
    const { now } = await b.snapshot();
    const approvalId = `ap_${toolCallId}`;
    const words = { toolCallId, approvalId, tier: "critical", expiresAt: now + 900_000, effect: "Changes it." } as const;
    await b.commit(callHeld(await b.snapshot(), words, b.rules));
    expect([(await b.call(0)).approvalTier, (await b.call(0)).approvedSoFar]).toEqual(["critical", undefined]);
    await b.commit(callHeld(await b.snapshot(), { ...words, approvedBy: ["amy"] }, b.rules));
    expect((await b.call(0)).approvedSoFar).toEqual(["amy"]);
    expect((await b.events()).filter((event) => event.type === "call.held")).toMatchObject([
      { tier: "critical", approversNeeded: 2, scopes: ["approve:critical", "approve:*"] },
    ]);
    const approved = { toolCallId, approvalId, outcome: "approved", grantExpiresAt: now + 900_000 } as const;
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["amy", "ben"] }, "a.b.c", b.rules));
    const { approvedBy, approvedSoFar } = await b.call(0);
    expect([approvedBy, approvedSoFar]).toEqual([["amy", "ben"], undefined]);
  });
});

describe("a write for which the policy asks for more people than its tier does", () => {
  it("is reported with this number", async () => {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w1", { n: 1 })]);
    const { callId: toolCallId } = await b.call(0);
    const words = {
      toolCallId,
      approvalId: `ap_${toolCallId}`,
      tier: "high",
      expiresAt: (await b.snapshot()).now + 1,
      effect: "Changes it.",
    } as const;
    await b.commit(callHeld(await b.snapshot(), { ...words, approversNeeded: 3 }, b.rules));
    expect((await b.call(0)).approversNeeded).toBe(3);
    expect((await b.events()).filter((event) => event.type === "call.held")).toMatchObject([{ tier: "high", approversNeeded: 3 }]);
  });
});

describe("a write that people did not approve", () => {
  it.each([
    ["rejected", "denied", "denied_by_user", /denied this write .+ say so and apologise/],
    ["revision_requested", "denied", "revision_requested", /asks for a revision .+ Rework the arguments and call the tool again/],
    ["expired", "denied", "approval_expired", /Nobody decided in time .+ Ask the person to state again/],
    ["cancelled", "cancelled", "cancelled", /was withdrawn/],
  ] as const)("because it was %s is reported to the model with what to do and with its approval", async (outcome, status, code, words) => {
    const { approvalId, decide } = await held();
    const result = await decide({ outcome });
    expect(result).toMatchObject({ status, isError: true, error: { code, message: expect.stringMatching(words) } });
    expect(result?.content).toContain(approvalId);
  });

  it("but want revised are asked again when the model has reworked them, in the reviewer's words", async () => {
    const { b, decide } = await held();
    const result = await decide({ outcome: "revision_requested", comment: "Make it two." });
    expect(result).toMatchObject({ error: { retryable: true, message: expect.stringContaining('They said: "Make it two."') } });
    expect((await b.snapshot()).run.value.status).toBe("ready");
    await b.turn([asks("change", "w2", { n: 2 })]);
    const again = (await b.sent()).filter(({ topic }) => topic === topics.approvalRequest);
    expect(again.map(({ body }) => JSON.parse(body))).toMatchObject([{ toolName: "change", arguments: '{"n":2}' }]);
  });
});

describe("a sent write whose worker found its grant stale", () => {
  const FIRST = grantFor('{"n":1}', { round: 1 });
  const SECOND = grantFor('{"n":1}', { round: 2 });

  /** Returns the write while it waits again. `row` is the ledger after the worker found that the target had changed. */
  async function waitsAgain() {
    const b = bundle();
    await b.start();
    await b.turn([asks("change", "w1", { n: 1 })]);
    const { callId: toolCallId, secret } = await b.call(0);
    const { now } = await b.snapshot();
    const approvalId = `ap_${toolCallId}`;
    const words = { toolCallId, approvalId, tier: "high", expiresAt: now + 900_000, effect: "Changes it." } as const;
    const approved = { toolCallId, approvalId, outcome: "approved", grantExpiresAt: now + 900_000, executeBy: now + 3_600_000 } as const;
    await b.commit(callHeld(await b.snapshot(), words, b.rules));
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["amy"] }, FIRST, b.rules));
    await b.commit(grantStale(await b.snapshot(), { callId: toolCallId, secretHash: secretHash(secret), toolHash: null }, b.rules));
    await b.commit(callHeld(await b.snapshot(), words, b.rules));
    const { callId, toolName, toolHash, argsHash } = await b.call(0);
    const row: LedgerRow = {
      callId,
      toolName,
      toolHash,
      argsHash,
      jti: approvalId,
      state: "begun",
      fence: 1,
      lease: null,
      beganAt: now,
      planRound: 2,
    };
    const decided = async (): Promise<readonly unknown[]> =>
      (await b.events()).filter((event) => event.type === "call.decided").map((event) => event.decidedBy);
    return { b, row, decided, approved, denied: { toolCallId, approvalId, outcome: "rejected" } as const };
  }

  it("is reported as decided again by whoever approved the new plan", async () => {
    const { b, row, approved, decided } = await waitsAgain();
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["ben"] }, SECOND, b.rules, { ledger: row }));
    expect(await decided()).toEqual([["amy"], ["ben"]]);
    expect(await b.call(0)).toMatchObject({ state: "dispatched", grant: SECOND, approvedBy: ["ben"], dispatch: 2 });
  });

  it("keeps its one decision if the grant is only renewed, even if the message that people were asked came a second time", async () => {
    const { b, approved, decided } = await waitsAgain();
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["amy"] }, grantFor('{"n":1}', { round: 1 }), b.rules));
    expect(await decided()).toEqual([["amy"]]);
    expect(await b.call(0)).toMatchObject({ state: "dispatched", approvedBy: ["amy"], dispatch: 2 });
  });

  it("keeps its one decision if an earlier answer comes again after the target has changed", async () => {
    const { b, row, approved, decided } = await waitsAgain();
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["amy"] }, FIRST, b.rules, { ledger: row }));
    expect(await decided()).toEqual([["amy"]]);
  });

  it("ignores an answer about an earlier plan that comes again later", async () => {
    const { b, row, approved, decided } = await waitsAgain();
    await b.commit(callDecided(await b.snapshot(), { ...approved, decidedBy: ["ben"] }, SECOND, b.rules, { ledger: row }));
    const { callId, secret } = await b.call(0);
    await b.commit(grantStale(await b.snapshot(), { callId, secretHash: secretHash(secret), toolHash: null }, b.rules));
    expect(callDecided(await b.snapshot(), { ...approved, decidedBy: ["amy"] }, FIRST, b.rules, { ledger: row })).toBeNull();
    expect([await decided(), (await b.call(0)).grant]).toEqual([[["amy"], ["ben"]], SECOND]);
  });

  it("ends at once if people deny the new plan, because its worker refuses the earlier grant", async () => {
    const { b, row, denied, decided } = await waitsAgain();
    await b.commit(callDecided(await b.snapshot(), { ...denied, decidedBy: ["ben"] }, undefined, b.rules, { ledger: row }));
    const { result, approvedBy } = await b.call(0);
    expect([result?.error?.code, approvedBy]).toEqual(["denied_by_user", undefined]);
    expect(await decided()).toEqual([["amy"], ["ben"]]);
  });

  it.each([
    ["the ledger has no record of the change", { planRound: undefined }],
    ["a worker works on it", { lease: { by: "m", since: 1, until: 2 } }],
    ["it was sent", { state: "sending" as const }],
  ])("is left to its ledger after a denial if %s", async (_, part) => {
    const { b, row, denied } = await waitsAgain();
    const { planRound, ...rest } = { ...row, ...part };
    const ledger = { ...rest, ...(planRound === undefined ? {} : { planRound }) };
    await b.commit(callDecided(await b.snapshot(), denied, undefined, b.rules, { ledger }));
    expect(await b.call(0)).toMatchObject({ state: "dispatched", approvedBy: ["amy"] });
  });
});
