import { memoryBus } from "@toolbus/bus";
import {
  attributes,
  failedResult,
  type Json,
  keys,
  type LedgerRow,
  message,
  messageTypes,
  parseCall,
  parseRun,
  shardOf,
  type ToolResult,
  topics,
  whatWasWritten,
} from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { describe, expect, it, vi } from "vitest";
import { asks, ok, RUN } from "../testing/test-bundle.ts";
import { proofKeys, signedRow } from "../testing/test-proofs.ts";
import { readerUnderTest } from "../testing/test-reader.ts";
import { failRun } from "../transitions/end.ts";
import { callDecided } from "../transitions/decided.ts";
import { startConsumers } from "./consumers.ts";
import { takeEntry } from "./inbox.ts";
import { onTimer } from "./timers.ts";

const CALL = `${RUN}.1.0`;
const DAY_MS = 86_400_000;

describe("a write whose worker was cut off while it sent", () => {
  it("ends as unknown, and its run's record says what happened once the worker's ledger says it", async () => {
    await using s = await cutOff();
    expect(await s.known()).toMatchObject({ writes: { happened: 0, unknown: 1 }, outcome: "outcome_unknown", followed: true });
    await s.end();
    expect((await s.run()).ending?.text).toContain("1 write may have happened: change (Changes it)");
    await s.finishes(ok('{"restarted":"pay"}'));
    await s.nextLook();
    expect(await s.known()).toMatchObject({
      writes: { happened: 1, unknown: 0 },
      settled: { status: "ok" },
      followed: false,
    });
    expect(whatWasWritten((await s.run()).writes)).toBe("1 write happened: change (Changes it), approved by ana");
    expect((await s.run()).ending?.text).toMatch(/^1 write happened: change \(Changes it\), approved by ana; then the run ended: /);
    expect(await s.timers()).toEqual([]);
  });

  it("says so in the conversation, where people and the model's next turn read it", async () => {
    await using s = await cutOff();
    await s.end();
    await s.finishes(ok());
    await s.nextLook();
    const [last] = (await s.b.transcript()).slice(-1);
    expect(last).toMatchObject({
      type: "assistant",
      text: "The outcome of change (Changes it), approved by ana, was unknown and is known now: it happened.",
    });
  });

  it("is noted while its run goes on, as an event, and said in the conversation after the run's end", async () => {
    await using s = await cutOff();
    await s.finishes(failedResult("not_executed", "Its target refuses it."));
    await s.nextLook();
    expect(await s.b.events()).toContainEqual(
      expect.objectContaining({
        type: "call.settled",
        tool: "change",
        status: "not_executed",
        content: expect.stringContaining("it did not happen (not_executed)"),
      }),
    );
    expect(await s.known()).toMatchObject({ writes: { happened: 0, unknown: 0 }, settled: { status: "not_executed" }, followed: true });
    await s.end();
    const before = (await s.b.transcript()).length;
    await s.nextLook();
    expect((await s.b.transcript()).slice(before)).toMatchObject([{ type: "assistant", model: "ledger" }]);
    expect(await s.timers()).toEqual([]);
  });

  it("is known at once if the worker's late answer arrives", async () => {
    await using s = await cutOff();
    await s.finishes(ok());
    await s.answers();
    await vi.waitUntil(async () => (await s.known()).settled, { timeout: 30_000, interval: 5 });
    expect(await s.known()).toMatchObject({ writes: { happened: 1, unknown: 0 }, settled: { status: "ok" } });
  });

  it("stays unknown on the word of a ledger that its worker did not sign", async () => {
    await using s = await cutOff();
    await s.finishes(ok(), proofKeys.identityOf("worker.other").signer);
    await s.nextLook();
    expect(await s.known()).toMatchObject({ writes: { unknown: 1 }, outcome: "outcome_unknown", followed: true });
  });

  it("stays unknown, and is followed no longer, if its worker does not know it either", async () => {
    await using s = await cutOff();
    await s.finishes({ status: "outcome_unknown", content: "?", isError: true });
    await s.nextLook();
    expect(await s.known()).toMatchObject({ writes: { unknown: 1 }, followed: false, ledger: { state: "done" } });
    expect(await s.timers()).toEqual([]);
  });

  it("is looked at ever later, at most an hour apart, and given up after a day", async () => {
    await using s = await cutOff();
    let looks = 0;
    for (; (await s.known()).followed; looks++) await s.nextLook();
    expect(looks).toBeGreaterThan(20);
    expect(looks).toBeLessThan(40);
    expect(await s.known()).toMatchObject({ outcome: "outcome_unknown" });
    expect(await s.timers()).toEqual([]);
  });
});

/** Returns a run whose approved write began to send. The worker then sent nothing until it was too late to answer. */
async function cutOff() {
  const s = await readerUnderTest();
  const { b, reader } = s;
  const { state } = b;
  await takeEntry(reader, RUN, RUN);
  await b.turn([asks("change", "w")]);
  const { now } = await b.snapshot();
  const terms = { grantExpiresAt: now + 900_000, executeBy: now + DAY_MS };
  const decided = { toolCallId: CALL, approvalId: `ap_${CALL}`, outcome: "approved" as const, decidedBy: ["ana"], ...terms };
  await b.commit(callDecided(await b.snapshot(), decided, "grant", b.rules));
  const parsedOf = async <T>(key: string, parse: (value: unknown) => { readonly ok: boolean; readonly value?: T }): Promise<T> => {
    const { documents } = await state.read([key]);
    const { value } = parse(documents[0]?.value);
    if (value === undefined) throw new Error(`${key} is gone`);
    return value;
  };
  const call = () => parsedOf(keys.call(CALL), parseCall);
  const run = () => parsedOf(keys.run(RUN), parseRun);
  const keep = async (row: LedgerRow): Promise<void> => {
    const key = keys.ledger("test", CALL);
    const { documents } = await state.read([key]);
    const version = documents[0]?.version ?? 0;
    await state.commit(shardOf(RUN), { op: `row:${version}`, guards: [{ key, version }], put: [{ key, value: row as unknown as Json }] });
  };
  /** Advances the time until the call's timer is due, and handles the timer. */
  const nextLook = async (): Promise<void> => {
    for (let minutes = 0; minutes <= 24 * 60; minutes++) {
      const due = await state.claim("agent", "timer", { limit: 100, visibleAfter: 1 });
      const timer = due.find(({ id }) => id === `call:${CALL}`);
      if (timer) return onTimer(reader, timer, AbortSignal.timeout(30_000));
      b.advance(60_000);
    }
    throw new Error("the call has no timer");
  };
  const { toolHash, argsHash } = await call();
  const sending: LedgerRow = {
    callId: CALL,
    toolName: "change",
    toolHash,
    argsHash,
    state: "sending",
    fence: 1,
    lease: null,
    jti: `ap_${CALL}`,
    beganAt: now,
    sendingAt: now,
    prepared: { value: "x" },
  };
  await keep(await signedRow(sending));
  b.advance(2 * DAY_MS);
  await nextLook();
  const bus = memoryBus();
  const consumers = await startConsumers(bus, reader, b.monotonic);
  return {
    ...s,
    run,
    nextLook,
    known: async () => {
      const { result, settled, followUntil, ledger } = await call();
      return { outcome: result?.status, settled, ledger, followed: followUntil !== undefined, writes: (await run()).writes };
    },
    /** Simulates a worker that comes back and ends the write in its ledger. */
    finishes: async (result: ToolResult, signer = proofKeys.identityOf("worker.test").signer) =>
      keep(await signedRow({ ...sending, state: "done", doneAt: now, result }, signer)),
    /** Publishes the worker's answer to the call on the bus. */
    answers: async () => {
      const { secret } = await call();
      await bus.publish(
        message({
          id: `${CALL}#r9`,
          topic: topics.result("default"),
          type: messageTypes.toolResult,
          source: "/worker",
          now: b.monotonic(),
          correlationId: CALL,
          attributes: { [attributes.secretHash]: secretHash(secret) },
          body: { toolCallId: CALL, toolName: "change", content: "{}", isError: false },
        }),
      );
    },
    end: async () => {
      await state.commit(shardOf(RUN), failRun(await b.snapshot(), { code: "time_limit", message: "It used its time." }, b.rules));
    },
    timers: async () => (await b.timers()).filter((id) => id === `call:${CALL}`),
    async [Symbol.asyncDispose]() {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      await bus.close();
      await s[Symbol.asyncDispose]();
    },
  };
}
