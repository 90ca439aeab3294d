import type { ApprovalDecided, LedgerRow } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { cancelRun } from "./cancel.ts";
import { callDecided } from "./decided.ts";
import { redispatch } from "./redispatch.ts";
import { asks, type Bundle, bundle, RUN } from "../testing/test-bundle.ts";

// The simulator found this fault: a write was reported as not done while an invoke of it with a valid grant was still on its way.

const CALL = `${RUN}.1.0`;
const MINUTE = 60_000;

describe("a write that was sent and whose approval lapses", () => {
  it("is not ended while its grant may still begin it, and is ended when the grant is over", async () => {
    const b = await sent();
    b.advance(1.5 * MINUTE);
    await step(b);
    expect((await b.call(0)).state).toBe("dispatched");
    b.advance(MINUTE);
    await step(b);
    expect((await b.call(0)).result?.error?.code).toBe("approval_lapsed");
  });

  it("is not ended when a worker began it in the meantime", async () => {
    const b = await sent();
    b.advance(2.5 * MINUTE);
    await step(b, await row(b));
    expect((await b.call(0)).state).toBe("dispatched");
  });
});

describe("a write that was sent, asked about again, and refused the second time", () => {
  it("waits until the first grant is over, and then ends with the refusal", async () => {
    const b = await askedAgain();
    await decide(b, null);
    expect((await b.call(0)).state).toBe("dispatched");
    expect(await b.timers()).toContain(`call:${CALL}`);
  });

  it("ends with the refusal when the first grant is over and no worker began it", async () => {
    const b = await askedAgain();
    b.advance(2 * MINUTE);
    await decide(b, null);
    expect((await b.call(0)).result?.error?.code).toBe("policy_denied");
  });

  it("is left to its ledger when a worker began it", async () => {
    const b = await askedAgain();
    b.advance(2 * MINUTE);
    await decide(b, await row(b));
    expect((await b.call(0)).state).toBe("dispatched");
  });
});

describe("a write that was sent and waits for a fresh grant when its run is cancelled", () => {
  it("is stopped and ended by its ledger, as one that waits for its answer", async () => {
    const b = await askedAgain();
    await b.sent();
    await b.commit(cancelRun(await b.snapshot(), { entryId: "e", by: "ada" }, b.rules));
    expect((await b.call(0)).state).toBe("dispatched");
    expect((await b.sent()).map((message) => message.topic)).toEqual(["approval.cancel"]);
    await step(b, await row(b, "sending"));
    expect((await b.call(0)).result).toBeUndefined();
    await step(b, await row(b));
    expect((await b.call(0)).result?.status).toBe("cancelled");
  });
});

/** Returns a write that was sent with a grant of two minutes. A new grant is possible only within the first minute. */
async function sent(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w")]);
  const { now } = await b.snapshot();
  const decided = { ...decision("approved"), grantExpiresAt: now + 2 * MINUTE, executeBy: now + MINUTE };
  await b.commit(callDecided(await b.snapshot(), decided, "a.grant.text", b.rules));
  return b;
}

/** Returns a sent write whose grant was requested again, because the first grant is about to expire. */
async function askedAgain(): Promise<Bundle> {
  const b = bundle();
  await b.start();
  await b.turn([asks("change", "w")]);
  const { now } = await b.snapshot();
  const decided = { ...decision("approved"), grantExpiresAt: now + 2 * MINUTE, executeBy: now + 60 * MINUTE };
  await b.commit(callDecided(await b.snapshot(), decided, "a.grant.text", b.rules));
  b.advance(1.5 * MINUTE);
  await step(b);
  expect((await b.call(0)).state).toBe("requested");
  return b;
}

async function step(b: Bundle, ledger: LedgerRow | null = null): Promise<void> {
  await b.commit(redispatch(await b.snapshot(), CALL, ledger, b.rules));
}

async function decide(b: Bundle, ledger: LedgerRow | null): Promise<void> {
  await b.commit(callDecided(await b.snapshot(), decision("refused"), undefined, b.rules, { ledger }));
}

function decision(outcome: "approved" | "refused"): ApprovalDecided {
  return { toolCallId: CALL, approvalId: `ap_${CALL}`, outcome };
}

async function row(b: Bundle, state: "begun" | "sending" = "begun"): Promise<LedgerRow> {
  const { now } = await b.snapshot();
  const lease = { by: "m", since: now, until: now + 10_000 };
  const call = await b.call(0);
  const { callId, toolName, toolHash, argsHash } = call;
  return {
    callId,
    toolName,
    toolHash,
    argsHash,
    jti: `ap_${callId}`,
    state,
    fence: 1,
    lease,
    beganAt: now,
    ...(state === "sending" ? { sendingAt: now } : {}),
  };
}
