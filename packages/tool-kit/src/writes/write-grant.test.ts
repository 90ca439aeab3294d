import { attributes, keys, messageTypes } from "@toolbus/contracts";
import { signDocument } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { approvalsSigner, bench, type InvokeOptions } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { workerTimings } from "../worker-timings.ts";

const ARGS = { amount: 5, to: "ann" };
const LEASE = workerTimings.leaseMs;
type Mode = Parameters<typeof orders>[1];

function setup(idempotency?: Mode) {
  const over = target();
  return { over, ...bench(orders(over, idempotency)) };
}

describe("a write without a genuine grant", () => {
  const forgeries: Readonly<Record<string, InvokeOptions>> = {
    missing: { grant: "none" },
    malformed: { grant: "garbage" },
    audience: { grant: { aud: "tb-executor:billing" } },
    tool: { grant: { tool: "pay_all" } },
    arguments: { grant: { argsHash: `sha256-${"A".repeat(43)}` } },
    "self approval": { grant: { requester: "approver:0" } },
    "too few approvers": { grant: { approvers: [] } },
    "a lower tier": { grant: { tier: "low" } },
  };

  for (const [name, options] of Object.entries(forgeries)) {
    it(`is dropped with a security record and no answer: ${name}`, async () => {
      const { over, process, invoke, row, security, callId } = setup();
      const worker = process();
      expect(await worker.deliver(await invoke("pay", ARGS, options))).toEqual({ kind: "ack" });
      expect(worker.answers).toEqual([]);
      expect(over).toMatchObject({ prepares: 0, runs: 0 });
      expect(await row()).toBeNull();
      expect(await security()).toEqual([expect.objectContaining({ callId: callId(), tool: "pay", service: "worker.orders" })]);
    });
  }

  it("is dropped if the grant is the probe of approvals' keys, which approvals signed with the key of grants", async () => {
    const { over, process, invoke, row, security, callId } = setup();
    const worker = process();
    const probe = { key: keys.keyProbe(), revision: 1, content: { madeAt: 1 } };
    const { signature } = await signDocument("tb-probe+jwt", probe, approvalsSigner);
    const sent = await invoke("pay", ARGS);
    await worker.deliver({ ...sent, attributes: { ...sent.attributes, [attributes.grant]: signature } });
    expect(worker.answers).toEqual([]);
    expect(over).toMatchObject({ prepares: 0, runs: 0 });
    expect(await row()).toBeNull();
    expect(await security()).toEqual([expect.objectContaining({ callId: callId(), tool: "pay", service: "worker.orders" })]);
  });

  it("is dropped if the grant belongs to another call", async () => {
    const { process, invoke, security, callId } = setup();
    const worker = process();
    await worker.deliver(await invoke("pay", ARGS, { grant: { callId: callId(1) } }));
    expect(worker.answers).toEqual([]);
    expect(await security()).toHaveLength(1);
  });

  it("is dropped if the ledger has the call with other arguments, whatever was granted", async () => {
    const { over, process, invoke, security, clock } = setup();
    const first = process({ dieAfter: "begin" });
    void first.deliver(await invoke("pay", ARGS));
    await first.died;
    clock.now += LEASE;
    const second = process();
    await second.deliver(await invoke("pay", { amount: 9, to: "ann" }, { dispatch: 2 }));
    expect(second.answers).toEqual([]);
    expect(await security()).toEqual([expect.objectContaining({ reason: "conflict" })]);
    expect(over.runs).toBe(0);
  });

  it("records every one of many at once", async () => {
    const { process, invoke, security } = setup();
    const worker = process();
    const forged = await Promise.all(Array.from({ length: 10 }, (_, index) => invoke("pay", ARGS, { index, grant: "none" })));
    await Promise.all(forged.map((message) => worker.deliver(message)));
    expect(await security()).toHaveLength(10);
  });
});

describe("a write whose grant is genuine but stale", () => {
  it("is answered so that the agent asks again: expired, of an older era, of another definition", async () => {
    for (const [reason, prepare] of [
      ["expired", async ({ clock }: ReturnType<typeof setup>) => void (clock.now += 905_000)],
      ["era", ({ raiseEra }: ReturnType<typeof setup>) => raiseEra()],
      ["tool_hash", async () => undefined],
    ] as const) {
      const made = setup();
      const sent = await made.invoke("pay", ARGS, reason === "tool_hash" ? { grant: { toolHash: `sha256-${"A".repeat(43)}` } } : {});
      await prepare(made);
      const worker = made.process();
      expect(await worker.deliver(sent)).toEqual({ kind: "ack" });
      expect(worker.answers).toMatchObject([{ type: messageTypes.grantStale, topic: "tool.result.tester" }]);
      expect(worker.answers[0]?.body).toContain(reason);
      expect(worker.answers[0]?.attributes[attributes.secretHash]).toBeDefined();
      expect(await made.security()).toEqual([]);
      expect(made.over.prepares).toBe(0);
    }
  });

  it("continues if it was sent while the grant was fresh", async () => {
    const { over, process, invoke, clock } = setup();
    const sent = await invoke("pay", ARGS);
    const first = process({ dieAfter: "sending" });
    void first.deliver(sent);
    await first.died;
    clock.now += 3_600_000;
    const second = process();
    await second.deliver(sent, 2);
    expect(second.read()[0]?.result.status).toBe("ok");
    expect(over.runs).toBe(1);
  });

  it("gets its stored result if it was done", async () => {
    const { process, invoke, clock } = setup();
    const sent = await invoke("pay", ARGS);
    const worker = process();
    await worker.deliver(sent);
    clock.now += 3_600_000;
    await worker.deliver(sent, 2);
    expect(worker.read().map(({ result }) => result.status)).toEqual(["ok", "ok"]);
  });
});
