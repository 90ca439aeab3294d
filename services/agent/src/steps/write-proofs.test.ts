import { randomUUID } from "node:crypto";
import { attributes, failedResult, type Json, keys, type LedgerRow, type Message, message, messageTypes, topics } from "@toolbus/contracts";
import { generateSigningKey, publicKeyOf, signDocument, signerOf, signMessage, trustedKeys } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { eraReader, receiptKeys, signAnswer } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { cancelRun } from "../transitions/cancel.ts";
import { callDecided } from "../transitions/decided.ts";
import { takeEntry } from "../incoming/inbox.ts";
import { lookAtCall } from "../incoming/look-at-call.ts";
import { seenLedger } from "../incoming/seen-ledger.ts";
import { asks, ok, RUN } from "../testing/test-bundle.ts";
import { proofKeys, proofsUnderTest, signedRow } from "../testing/test-proofs.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { writeProofs } from "./write-proofs.ts";

const CALL = `${RUN}.1.0`;
const OTHER = proofKeys.identityOf("worker.other").signer;
const OWN = proofKeys.identityOf("worker.test").signer;

/** Returns a run whose only write was granted and sent. */
async function setup() {
  const s = await readerUnderTest();
  await takeEntry(s.reader, RUN, RUN);
  await s.b.turn([asks("change", "w")]);
  const { now } = await s.b.snapshot();
  const terms = { grantExpiresAt: now + 900_000, executeBy: now + 86_400_000 };
  await s.b.commit(
    callDecided(await s.b.snapshot(), { toolCallId: CALL, approvalId: `ap_${CALL}`, outcome: "approved", ...terms }, "g", s.b.rules),
  );
  const call = await s.b.call(0);
  const { toolName, toolHash, argsHash } = call;
  const row: LedgerRow = {
    callId: CALL,
    toolName,
    toolHash,
    argsHash,
    jti: `ap_${CALL}`,
    state: "begun",
    fence: 1,
    lease: null,
    beganAt: now,
  };
  const key = keys.ledger("test", CALL);
  return {
    ...s,
    call,
    rows: {
      begun: row,
      sending: { ...row, state: "sending", sendingAt: now, prepared: { value: "5 EUR to BAKERY" } },
      done: { ...row, state: "done", doneAt: now, result: ok() },
    } satisfies Record<string, LedgerRow>,
    async put(value: LedgerRow) {
      const { documents } = await s.b.state.read([key]);
      const version = documents[0]?.version ?? 0;
      await s.b.state.commit("03", { op: `row:${version}`, guards: [{ key, version }], put: [{ key, value: value as unknown as Json }] });
    },
    /** Runs the call's timer. */
    async look() {
      const { dispatch, requests } = await s.b.call(0);
      await lookAtCall(s.reader, RUN, { callId: CALL, dispatch, requests });
      return (await s.b.call(0)).result?.status ?? null;
    },
    /** Advances the time until no worker may answer any more. */
    pastTheDeadline: () => s.b.advance(2_000_000),
    security: async () => (await s.b.state.range(keys.security("03", "agent"), { after: 0, limit: 100 })).map(({ value }) => value),
  };
}

type Setup = Awaited<ReturnType<typeof setup>>;

describe("an answer to a write", () => {
  const sent: Message = message({
    id: "m",
    topic: topics.result("default"),
    type: messageTypes.toolResult,
    source: "/\u001b[31mx",
    now: 1,
    body: {},
  });
  const about = (s: Setup) => ({ callId: CALL, toolset: "test", tool: "change", toolHash: s.call.toolHash, argsHash: s.call.argsHash });
  const by = (s: Setup, change: object = {}, signer = OWN, result = ok()) =>
    signAnswer({ ...about(s), ...change }, { result, fence: 1, at: 1 }, signer);

  it("joins with the receipt of its toolset", async () => {
    await using s = await setup();
    const receipt = await by(s);
    expect(await s.reader.proofs.answered(s.call, { result: ok(), receipt, stale: false }, sent)).toBe(s.call.toolHash);
    expect(await s.security()).toEqual([]);
  });

  it("joins with the receipt of another definition that was granted in the meantime", async () => {
    await using s = await setup();
    const toolHash = `sha256-${"A".repeat(43)}`;
    const receipt = await by(s, { toolHash });
    expect(await s.reader.proofs.answered(s.call, { result: ok(), receipt, stale: false }, sent)).toBe(toolHash);
  });

  it.each<[string, string, (s: Setup) => Promise<string | undefined>]>([
    ["no receipt", "unsigned", async () => undefined],
    ["another toolset's receipt", "unknown_key", (s) => by(s, {}, OTHER)],
    ["another toolset's key under this one's id", "forged", (s) => by(s, {}, { ...OTHER, kid: OWN.kid })],
    ["the receipt of another call", "forged", (s) => by(s, { callId: `${RUN}.1.1` })],
    ["the receipt of another tool", "forged", (s) => by(s, { tool: "other" })],
    ["the receipt of other arguments", "forged", (s) => by(s, { argsHash: `sha256-${"A".repeat(43)}` })],
    ["the receipt of another content", "forged", (s) => by(s, {}, OWN, ok("{}"))],
    [
      "the receipt of a failure with this content",
      "forged",
      (s) => by(s, {}, OWN, { ...failedResult("execution_failed", "x"), content: ok().content }),
    ],
  ])("does not join with %s, and is recorded once", async (_, why, receipt) => {
    await using s = await setup();
    const given = await receipt(s);
    const answer = { result: ok(), stale: false, ...(given === undefined ? {} : { receipt: given }) };
    expect(await s.reader.proofs.answered(s.call, answer, sent)).toBeNull();
    expect(await s.reader.proofs.answered(s.call, answer, sent)).toBeNull();
    expect(await s.security()).toEqual([
      expect.objectContaining({ service: "agent", reason: `answer_${why}`, callId: CALL, tool: "change", source: "/?[31mx" }),
    ]);
  });

  it("that is forged a hundred times costs the store one record", async () => {
    await using s = await setup();
    let commits = 0;
    const state = { ...s.b.state, commit: (shard: string, change: Change) => (commits++, s.b.state.commit(shard, change)) };
    const proofs = proofsUnderTest(state, s.b.monotonic);
    for (let n = 0; n < 100; n++) await proofs.answered(s.call, { result: ok(), stale: false }, sent);
    expect(commits).toBe(1);
  });

  it("that its grant is stale does not count as a failure, nor a failure as a stale grant", async () => {
    await using s = await setup();
    const result = failedResult("execution_failed", "The grant is stale.");
    const stale = await signAnswer(about(s), { result, fence: 0, at: 1, stale: true }, OWN);
    expect(await s.reader.proofs.answered(s.call, { result, receipt: stale, stale: true }, sent)).toBe(s.call.toolHash);
    expect(await s.reader.proofs.answered(s.call, { result, receipt: stale, stale: false }, sent)).toBeNull();
    const failed = await by(s, {}, OWN, result);
    expect(await s.reader.proofs.answered(s.call, { result, receipt: failed, stale: true }, sent)).toBeNull();
  });

  it("joins by the key that approvals pinned with the tool, although no file names it", async () => {
    await using s = await setup();
    const { state } = s.b;
    const pinned = await signerOf(await generateSigningKey());
    const approvals = proofKeys.trusted.of("approvals");
    const known = (toolset: string) => trustedKeys({}).of(toolset);
    const proofs = writeProofs({
      state,
      receiptKeys: receiptKeys({ known, state, approvals, monotonic: s.b.monotonic }),
      eras: eraReader(approvals),
      approvals,
      log: silentLog,
      monotonic: s.b.monotonic,
      newId: randomUUID,
    });
    const answer = { result: ok(), receipt: await by(s, {}, pinned), stale: false };
    expect(await proofs.answered(s.call, answer, sent)).toBeNull();
    const key = keys.pin("change");
    const { definition, hash } = s.b.tools.get("change") ?? { definition: null, hash: "" };
    const content = { toolset: "test", definition, hash, enabled: true, pinnedAt: 1, pinnedBy: "otto", receiptKeys: [publicKeyOf(pinned)] };
    const value = await signDocument(
      "tb-pin+jwt",
      { key, revision: 1, content: content as never },
      proofKeys.identityOf("approvals").signer,
    );
    await state.commit("00", { op: "pin", guards: [{ key, version: 0 }], put: [{ key, value: value as unknown as Json }] });
    // The key was pinned a moment after the agent looked for it.
    expect(await proofs.answered(s.call, answer, sent)).toBe(s.call.toolHash);
  });
});

describe("a row of a worker's ledger", () => {
  it("ends the call as done with its receipt", async () => {
    await using s = await setup();
    await s.put(await signedRow(s.rows.done));
    expect(await s.look()).toBe("ok");
  });

  it.each<[string, (s: Setup) => Promise<LedgerRow>]>([
    ["done without a receipt", async (s) => s.rows.done],
    ["done by another toolset's key", (s) => signedRow(s.rows.done, OTHER)],
    ["done with another result", async (s) => ({ ...(await signedRow(s.rows.done)), result: ok("{}") })],
    ["sending without a proof", async (s) => s.rows.sending],
    ["sending by another toolset's key", (s) => signedRow(s.rows.sending, OTHER)],
    ["sending another value", async (s) => ({ ...(await signedRow(s.rows.sending)), prepared: { value: "9 EUR to CHARITY" } })],
    ["begun for other arguments", async (s) => ({ ...s.rows.begun, argsHash: `sha256-${"A".repeat(43)}` })],
  ])("that no worker signed ends nothing while a worker may answer, and then leaves it open: %s", async (_, forge) => {
    await using s = await setup();
    await s.put(await forge(s));
    expect(await seenLedger(s.reader, await s.b.snapshot(), CALL)).toMatchObject({ unproven: true });
    expect(await s.look()).toBeNull();
    s.pastTheDeadline();
    expect(await s.look()).toBe("outcome_unknown");
    expect(await s.security()).toEqual([expect.objectContaining({ reason: expect.stringMatching(/^ledger_/), callId: CALL })]);
  });

  it("that no worker signed does not make a cancelled run say that nothing was done", async () => {
    await using s = await setup();
    await s.put(s.rows.done);
    await s.b.commit(cancelRun(await s.b.snapshot(), { entryId: "e", by: "ada" }, s.b.rules));
    expect(await s.look()).toBeNull();
    s.pastTheDeadline();
    expect(await s.look()).toBe("outcome_unknown");
  });

  it("that was taken over counts by the proof of the attempt that sent", async () => {
    await using s = await setup();
    await s.put({ ...(await signedRow(s.rows.sending)), fence: 3 });
    expect(await seenLedger(s.reader, await s.b.snapshot(), CALL)).toMatchObject({ unproven: false });
  });

  it("that only began has nothing to sign", async () => {
    await using s = await setup();
    await s.put(s.rows.begun);
    s.pastTheDeadline();
    expect(await s.look()).toBe("not_executed");
  });
});

describe("the era, to the agent", () => {
  it("that approvals did not sign makes no write count as not done", async () => {
    await using s = await setup();
    const key = keys.era();
    const value = { era: 1, raisedAt: 1, reason: "nothing was lost" };
    await s.b.state.commit("00", { op: "era", guards: [{ key, version: 0 }], put: [{ key, value }] });
    s.pastTheDeadline();
    expect(await s.look()).toBe("outcome_unknown");
    expect(await s.security()).toEqual([expect.objectContaining({ reason: "era_unsigned" })]);
  });
});

describe("a decision about a write", () => {
  const decision: Message = message({
    id: "d",
    topic: topics.approvalDecided("default"),
    type: messageTypes.approvalDecided,
    source: "/approvals",
    now: 1,
    correlationId: CALL,
    attributes: { [attributes.grant]: "g" },
    body: { toolCallId: CALL, approvalId: `ap_${CALL}`, outcome: "approved", decidedBy: ["amy"] },
  });
  const signed = (change: Partial<Message> = {}, service = "approvals") =>
    signMessage({ ...decision, ...change }, proofKeys.identityOf(service));

  it("counts if approvals signed it", async () => {
    await using s = await setup();
    expect(await s.reader.proofs.decided(s.call, await signed())).toBe(true);
    expect(await s.security()).toEqual([]);
  });

  it.each<[string, string, () => Promise<Message>]>([
    ["that nobody signed", "unsigned", async () => decision],
    ["of a worker in its own name, whose key the agent trusts", "unknown_key", () => signed({}, "worker.test")],
    ["of a worker in the name of approvals", "unknown_key", async () => signMessage(decision, { service: "approvals", signer: OWN })],
    ["with another grant", "forged", async () => withGrant(await signed(), "h")],
    ["with another outcome", "forged", async () => ({ ...(await signed()), body: decision.body.replace("approved", "rejected") })],
    ["with other people", "forged", async () => ({ ...(await signed()), body: decision.body.replace("amy", "eve") })],
  ])("%s does not count, and is recorded once", async (_, why, make) => {
    await using s = await setup();
    const made = await make();
    expect(await s.reader.proofs.decided(s.call, made)).toBe(false);
    expect(await s.reader.proofs.decided(s.call, made)).toBe(false);
    expect(await s.security()).toEqual([expect.objectContaining({ service: "agent", reason: `decision_${why}`, callId: CALL })]);
  });

  function withGrant(made: Message, grant: string): Message {
    return { ...made, attributes: { ...made.attributes, [attributes.grant]: grant } };
  }
});
