import { failedResult, keys, type LedgerRow } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { grantStale, MAX_INVOKES, redispatch } from "./redispatch.ts";
import { asks, type Bundle, bundle, ok, RUN } from "../testing/test-bundle.ts";

const CALL = `${RUN}.1.0`;

function row(part: Partial<LedgerRow>): LedgerRow {
  return {
    callId: CALL,
    toolName: "change",
    toolHash: "h",
    argsHash: "a",
    state: "begun",
    fence: 1,
    lease: null,
    jti: "ap",
    beganAt: 0,
    ...part,
  };
}

async function sentRead(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("look", "r")]);
  return b;
}

async function sentWrite(options: Parameters<typeof bundle>[0] & { readonly grantMs?: number } = {}): Promise<Bundle> {
  const b = bundle(options);
  await b.start();
  await b.turn([asks("change", "w")]);
  const { now } = await b.snapshot();
  await b.commit(
    callDecided(
      await b.snapshot(),
      {
        toolCallId: CALL,
        approvalId: `ap_${CALL}`,
        outcome: "approved",
        grantExpiresAt: now + (options.grantMs ?? 900_000),
        executeBy: now + 86_400_000,
      },
      "g",
      b.rules,
    ),
  );
  return b;
}

const step = async (b: Bundle, ledger: LedgerRow | null = null, rules = b.rules, why?: Parameters<typeof redispatch>[4]) =>
  b.commit(redispatch(await b.snapshot(), CALL, ledger, rules, why));

describe("a call that nobody answers", () => {
  it("is sent again with a new number and the same secret and not-after, five times at most", async () => {
    const b = await sentRead();
    for (const seconds of [20, 40, 80, 160, 20, 20, 20, 20]) {
      b.advance(seconds * 1000);
      await step(b);
    }
    const invokes = (await b.sent()).filter((message) => message.topic === "tool.invoke.test");
    expect(invokes.map((message) => message.id)).toEqual(Array.from({ length: MAX_INVOKES }, (_, n) => `${CALL}#${n + 1}`));
    expect(new Set(invokes.map((message) => message.attributes["toolbus-call-secret"])).size).toBe(1);
    expect(new Set(invokes.map((message) => message.attributes["toolbus-not-after"])).size).toBe(1);
  });

  it("is not sent again on top of what another agent with the same timer has just sent", async () => {
    const b = await sentRead();
    b.advance(20_000);
    await step(b);
    b.advance(2000);
    await step(b);
    expect((await b.call(0)).dispatch).toBe(2);
    b.advance(38_000);
    await step(b);
    expect((await b.call(0)).dispatch).toBe(3);
  });

  it("is sent again unchanged and uncounted when the process that held the bus is dead", async () => {
    const b = await sentRead();
    await b.sent();
    for (let restart = 0; restart < 10; restart++) {
      b.advance(10);
      await step(b, null, { ...b.rules, ownersDeadBefore: (await b.snapshot()).now });
    }
    expect((await b.sent()).every((message) => message.id === `${CALL}#1`)).toBe(true);
    expect((await b.call(0)).dispatch).toBe(1);
  });

  it("ends as timed out when it is a read and its time is over", async () => {
    const b = await sentRead();
    b.advance(900_000 + 5000 + 10_000);
    await step(b);
    expect((await b.call(0)).result).toMatchObject({ status: "timeout", error: { code: "timeout", retryable: true } });
  });
});

describe("a write that nobody answers", () => {
  it("is never reported as not executed while a worker can still begin it", async () => {
    const b = await sentWrite({ grantMs: 3_600_000 });
    b.advance(899_000);
    await step(b);
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(1000 + 5000 + 10_000);
    await step(b);
    expect((await b.call(0)).result).toMatchObject({ status: "not_executed" });
  });

  it.each([
    ["when its time is over", async (b: Bundle) => b.advance(1_000_000)],
    ["when its run is cancelled", async (b: Bundle) => b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules))],
  ])("has an unknown outcome if the ledger may have forgotten it: %s", async (_, ends) => {
    const b = await sentWrite();
    await ends(b);
    await step(b, null, b.rules, { asked: false, unproven: false, forgetful: true });
    expect((await b.call(0)).result).toMatchObject({ status: "outcome_unknown" });
  });

  it("takes its result from the ledger when the answer was lost", async () => {
    const b = await sentWrite();
    await step(b, row({ state: "done", result: ok("from the ledger") }));
    expect((await b.call(0)).result?.content).toBe("from the ledger");
  });

  it("waits while a worker holds the ledger's lease, but not for a dead one", async () => {
    const b = await sentWrite();
    const { now } = await b.snapshot();
    const held = row({ state: "sending", lease: { by: "w", since: now, until: now + 10_000 } });
    await step(b, held);
    await b.sent();
    await step(b, held, { ...b.rules, ownersDeadBefore: now + 1 });
    expect((await b.sent()).filter((message) => message.topic === "tool.invoke.test")).toHaveLength(1);
  });

  it("is continued while its target still knows the key, and is unknown after that", async () => {
    const b = await sentWrite({ keepsForMs: 3_600_000 });
    const sendingAt = (await b.snapshot()).now;
    b.advance(1_000_000);
    await step(b, row({ state: "sending", sendingAt }));
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(3_600_000);
    await step(b, row({ state: "sending", sendingAt }));
    expect((await b.call(0)).result).toMatchObject({ status: "outcome_unknown", error: { retryable: false } });
  });

  it("without idempotency is unknown once its time is over, and never sent again", async () => {
    const b = await sentWrite({ idempotency: "none" });
    await b.sent();
    b.advance(1_000_000);
    await step(b, row({ state: "sending", sendingAt: 1 }));
    expect((await b.call(0)).result?.status).toBe("outcome_unknown");
    expect((await b.sent()).filter((message) => message.topic.startsWith("tool.invoke"))).toEqual([]);
  });

  it("asks for a fresh grant when the one it has is about to end before it began", async () => {
    const b = await sentWrite();
    b.advance(850_000);
    await step(b);
    expect(await b.call(0)).toMatchObject({ state: "requested", requests: 2 });
  });

  it("whose worker found the grant stale asks again, if it really was its worker", async () => {
    const b = await sentWrite();
    const { secret } = await b.call(0);
    expect(grantStale(await b.snapshot(), { callId: CALL, secretHash: "sha256-wrong", toolHash: null }, b.rules)).toBeNull();
    await b.commit(grantStale(await b.snapshot(), { callId: CALL, secretHash: secretHash(secret), toolHash: null }, b.rules));
    expect((await b.call(0)).state).toBe("requested");
  });

  it("of a cancelled run ends as cancelled unless it was sent, and then by its outcome", async () => {
    const b = await sentWrite();
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    await step(b, row({ state: "sending", sendingAt: (await b.snapshot()).now }));
    expect((await b.call(0)).state).toBe("dispatched");
    await step(b, row({ state: "done", result: failedResult("execution_failed", "refused by the target") }));
    expect((await b.call(0)).result?.status).toBe("error");

    const c = await sentWrite();
    await c.commit(cancelRun(await c.snapshot(), { entryId: "e", by: "ada" }, c.rules));
    await step(c, row({ state: "begun" }));
    expect((await c.call(0)).result?.status).toBe("cancelled");
    expect((await c.state.read([keys.stop(CALL)])).documents[0]).not.toBeNull();
  });
});

describe("a write that waits for approval", () => {
  it("is asked for again until approvals answers", async () => {
    const b = bundle();
    await b.start();
    await b.sent();
    await b.turn([asks("change", "w")]);
    for (let n = 0; n < 3; n++) await step(b);
    expect((await b.sent()).filter((message) => message.topic === "approval.request").map((message) => message.id)).toEqual(
      [1, 2, 3, 4].map((n) => `request:${CALL}#${n}`),
    );
  });
});
