import type { Json } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/approvals-under-test.ts";
import { bigRefund, call, putOrigin, refund } from "../testing/writes-under-test.ts";

const TOO_MANY = /3 writes of this requester wait for people already/;

describe("writes of one requester that wait for people", () => {
  it("are limited by the setting: one more is answered at once with a sentence, and nobody is asked", async () => {
    await using t = await setup({ env: { PENDING_PER_REQUESTER: "3" } });
    for (let n = 1; n <= 3; n++) await t.hold(bigRefund(n));
    const id = await t.ask(bigRefund(4));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit", reason: expect.stringMatching(TOO_MANY) });
    expect(await t.stored(id)).toMatchObject({ status: "limit", arguments: "" });
    expect((await t.get("amy", "/v1/approvals")).body).toMatchObject({ approvals: { length: 3 } });
  });

  it("may be one: the sentence says so in the singular", async () => {
    await using t = await setup({ env: { PENDING_PER_REQUESTER: "1" } });
    await t.hold(bigRefund(1));
    await t.ask(bigRefund(2));
    const reason = expect.stringMatching(/^1 write of this requester waits for people already, .* asked for again when it was decided\.$/);
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit", reason });
  });

  it("make room for others when they are decided, and when their time is over", async () => {
    await using t = await setup({ env: { PENDING_PER_REQUESTER: "3" } });
    const [first] = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2)), await t.hold(bigRefund(3))];
    expect(await t.decide("amy", first, "deny")).toMatchObject({ status: 200 });
    await t.hold(bigRefund(4));
    t.clock.now += 16 * 60_000;
    for (let n = 5; n <= 7; n++) await t.hold(bigRefund(n));
  });

  it("keep their place when they are requested again", async () => {
    await using t = await setup({ env: { PENDING_PER_REQUESTER: "3" } });
    for (let n = 1; n <= 3; n++) await t.hold(bigRefund(n));
    for (let n = 1; n <= 3; n++) await t.hold(bigRefund(n));
  });

  it("are counted over all runs, and separately for each requester", async () => {
    await using t = await setup({ env: { PENDING_PER_REQUESTER: "3" } });
    const [own, others] = ["rn_0b_01J9Z3NDEKTSV4RRFFQ69G5FAV", "rn_0c_01J9Z3NDEKTSV4RRFFQ69G5FAV"];
    await putOrigin(t.store, { runId: own });
    await putOrigin(t.store, { runId: others, principal: "somebody-else" });
    for (let n = 1; n <= 3; n++) await t.hold(bigRefund(n));
    await t.ask({ ...bigRefund(1), callId: `${own}.1.0` });
    expect((await t.decided.next()).body).toMatchObject({ outcome: "limit" });
    await t.hold({ ...bigRefund(1), callId: `${others}.1.0` });
  });

  it("lose their places soon after they were decided, so that the list stays short and cheap", async () => {
    const places: number[] = [];
    await using t = await setup({
      wrapStore: (state) => ({
        ...state,
        async commit(shard, change) {
          for (const { value } of change.put ?? []) {
            const { pending } = value as { readonly pending?: Record<string, Json> };
            if (pending) places.push(Object.keys(pending).length);
          }
          return state.commit(shard, change);
        },
      }),
    });
    const waiting = [await t.hold(bigRefund(1)), await t.hold(bigRefund(2))];
    for (let n = 3; n <= 60; n++) expect(await t.decide("amy", await t.hold(bigRefund(n)), "deny")).toMatchObject({ status: 200 });
    expect(places).toHaveLength(60);
    expect(Math.max(...places)).toBe(16);
    expect((await t.get("amy", "/v1/approvals")).body).toMatchObject({ approvals: waiting.map(() => ({})) });
  });

  it("cost a bounded number of pending approvals and places, however many are requested", async () => {
    const asked = Number(process.env["PENDING_ASKED"] ?? 2000);
    const pending = new Set<string>();
    const places: number[] = [];
    const stored = new Set<string>();
    await using t = await setup({
      wrapStore: (state) => ({
        ...state,
        async commit(shard, change) {
          const reply = await state.commit(shard, change);
          for (const { key, value } of reply.outcome === "ok" ? (change.put ?? []) : []) {
            stored.add(key);
            const { status, pending: held } = value as { readonly status?: string; readonly pending?: Record<string, Json> };
            if (status === "pending") pending.add(key);
            if (held) places.push(Object.keys(held).length);
          }
          return reply;
        },
      }),
    });
    const before = process.memoryUsage().rss;
    for (let n = 0; n < asked; n++)
      await t.ask({
        callId: call(1).replace("1.0", `${1 + Math.floor(n / 1000)}.${n % 1000}`),
        tool: refund,
        args: { amount: 150, order: `O-${n}` },
      });
    for (let n = 100; n < asked; n++) await t.decided.next();
    const grown = Math.round((process.memoryUsage().rss - before) / 1_048_576);
    process.stdout.write(
      `${asked} asked for: ${pending.size} pending, ${stored.size} documents in all, ${grown} MiB more with the store in this process\n`,
    );
    expect(pending.size).toBe(100);
    expect(Math.max(...places)).toBe(100);
  }, 120_000);
});
