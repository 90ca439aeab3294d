import { attributes, type Json, keys, type LedgerRow } from "@toolbus/contracts";
import {
  argumentsHash,
  generateSigningKey,
  preparedHash,
  publicKeyOf,
  publicKeys,
  type Signer,
  signDocument,
  signerOf,
  signSending,
} from "@toolbus/grants";
import { blobOrNull, putBlobRepeatedly } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { signAnswer, verifyAnswer } from "../calls/answer-receipt.ts";
import { approvalsSigner, bench, receiptKeys, receiptSigner, type TestProcess } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { workerTimings } from "../worker-timings.ts";

// In these tests, an attacker can write to the ledger. With one shared login, every process can do this. With separate logins, only the owner of the
// store can.

const ARGS = { amount: 5, to: "BAKERY" };
const LEASE = workerTimings.leaseMs;
type Mode = Parameters<typeof orders>[1];

function setup(idempotency?: Mode) {
  const over = target();
  const tools = orders(over, idempotency);
  const made = bench(tools);
  const { state, row, process, invoke, clock, callId } = made;
  const key = keys.ledger("orders", callId());
  let steps = 0;
  return {
    over,
    ...made,
    hash: tools.find("pay")?.hash ?? "",
    /** Puts a row into the ledger, or removes it. */
    async put(value: LedgerRow | null) {
      const { documents } = await state.read([key]);
      const guards = [{ key, version: documents[0]?.version ?? 0 }];
      const op = `forge:${++steps}`;
      await state.commit("03", value === null ? { op, guards, remove: [key] } : { op, guards, put: [{ key, value: value as Json }] });
    },
    /** Returns the row of a worker that died right after `sending`. The row's lease has expired. */
    async sending(args = ARGS): Promise<LedgerRow> {
      const first = process({ dieAfter: "sending" });
      void first.deliver(await invoke("pay", args));
      await first.died;
      clock.now += LEASE;
      return there(await row());
    },
    /** Returns the row after a genuine write. */
    async done(): Promise<LedgerRow> {
      await process().deliver(await invoke("pay", ARGS));
      return there(await row());
    },
  };
}

function there<T>(value: T | null): T {
  if (value === null) throw new Error("the ledger has no row");
  return value;
}

describe("a row that claims that a write was sent, and that no worker signed", () => {
  const stranger = async (): Promise<Signer> => signerOf(await generateSigningKey());
  const proofBy = (row: LedgerRow, hash: string, signer: Signer, prepared: Json) =>
    signSending(
      {
        callId: row.callId,
        toolset: "orders",
        tool: "pay",
        toolHash: hash,
        argsHash: row.argsHash,
        jti: row.jti,
        fence: row.fence,
        preparedHash: preparedHash(prepared),
        at: row.sendingAt ?? 0,
      },
      signer,
    );
  const OTHER = { amount: 9, to: "CHARITY", note: "prepared 1" };
  type Forge = (row: LedgerRow, hash: string) => LedgerRow | Promise<LedgerRow>;
  const forgeries: Readonly<Record<string, Forge>> = {
    "another prepared value": (row) => ({ ...row, prepared: { value: OTHER } }),
    "another prepared value, without a proof": ({ proof: _, ...row }) => ({ ...row, prepared: { value: OTHER } }),
    "a proof by a stranger's key": async (row, hash) => ({
      ...row,
      prepared: { value: OTHER },
      proof: await proofBy(row, hash, await stranger(), OTHER),
    }),
    "a proof by a stranger's key under the toolset's id": async (row, hash) => ({
      ...row,
      prepared: { value: OTHER },
      proof: await proofBy(row, hash, { ...(await stranger()), kid: receiptSigner.kid }, OTHER),
    }),
    "no prepared value at all": ({ prepared: _, ...row }) => row,
    "a later time of sending, as if the target still knew the key": (row) => ({ ...row, sendingAt: (row.sendingAt ?? 0) + 1 }),
    "the proof of a later attempt": async (row, hash) => ({
      ...row,
      fence: 1,
      proof: await proofBy({ ...row, fence: 2 }, hash, receiptSigner, (row.prepared as { value: Json }).value),
    }),
  };

  for (const [name, forge] of Object.entries(forgeries))
    for (const mode of ["key", "reconcile"] as const)
      it(`is not run and not asked about, and ends as unknown: ${name} (${mode})`, async () => {
        const s = setup(mode === "key" ? { mode, keepsForMs: 86_400_000 } : { mode });
        await s.put(await forge(await s.sending(), s.hash));
        const second = s.process();
        expect(await second.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }))).toEqual({ kind: "ack" });
        expect(s.over).toMatchObject({ runs: 0, reconciles: 0, prepares: 1 });
        expect(second.read().map(({ result }) => result.status)).toEqual(["outcome_unknown"]);
        expect(await s.row()).toMatchObject({ state: "done", receipt: expect.any(String), result: { status: "outcome_unknown" } });
        expect(await s.security()).toEqual([expect.objectContaining({ reason: "ledger_forged", callId: s.callId() })]);
      });

  it("is not run if nobody sent anything: the approver saw another payee", async () => {
    const s = setup();
    const now = s.clock.now;
    const genuine = await setup().sending();
    await s.put({ ...genuine, prepared: { value: OTHER }, lease: null, beganAt: now, sendingAt: now });
    await s.process().deliver(await s.invoke("pay", ARGS));
    expect(s.over.sent).toEqual([]);
    expect(await s.security()).toHaveLength(1);
  });

  it("names another blob, and nothing of it is sent", async () => {
    const s = setup();
    const row = await s.sending({ amount: 5, to: "B".repeat(39_000) });
    expect(row.prepared).toEqual({ blob: expect.any(String) });
    const blob = await putBlobRepeatedly(s.state, Buffer.from(JSON.stringify(OTHER)));
    expect(await blobOrNull(s.state, blob)).not.toBeNull();
    await s.put({ ...row, prepared: { blob } });
    await s.process().deliver(await s.invoke("pay", { amount: 5, to: "B".repeat(39_000) }, { dispatch: 2 }));
    expect(s.over.sent).toEqual([]);
    expect(await s.security()).toHaveLength(1);
  });

  it("was renewed and taken over: the first attempt's proof counts for every later one", async () => {
    const s = setup();
    const first = await s.sending();
    s.over.onRun = () => {
      throw new Error("the target does not answer");
    };
    expect(await s.process().deliver(await s.invoke("pay", ARGS, { dispatch: 2 }))).toMatchObject({ kind: "retry" });
    expect(await s.row()).toMatchObject({ state: "sending", fence: 2, proof: first.proof });
    s.over.onRun = null;
    await s.process().deliver(await s.invoke("pay", ARGS, { dispatch: 3 }));
    expect(s.over.sent).toEqual([
      { ...ARGS, note: "prepared 1" },
      { ...ARGS, note: "prepared 1" },
    ]);
    expect(await s.row()).toMatchObject({ state: "done", fence: 3, result: { status: "ok" } });
  });
});

describe("a row that claims that a write is done, and that no worker signed", () => {
  const forgeries: Readonly<Record<string, (row: LedgerRow) => LedgerRow | Promise<LedgerRow>>> = {
    "another result": (row) => ({ ...row, result: { status: "ok", content: "{}", isError: false } }),
    "a success presented as a failure": (row) => ({
      ...row,
      result: { ...row.result, status: "error", isError: true, content: row.result?.content ?? "" },
    }),
    "no receipt": ({ receipt: _, ...row }) => row,
    "no result": ({ result: _, ...row }) => row,
    "another attempt": (row) => ({ ...row, fence: row.fence + 1 }),
    "a stranger's receipt": async (row) => {
      const { callId, toolName: tool, toolHash, argsHash, fence, result, doneAt: at = 0 } = row;
      const signer = await signerOf(await generateSigningKey());
      return {
        ...row,
        receipt: await signAnswer(
          { callId, toolset: "orders", tool, toolHash, argsHash },
          { result: there(result ?? null), fence, at },
          signer,
        ),
      };
    },
  };

  for (const [name, forge] of Object.entries(forgeries)) {
    it(`is not answered, and nothing runs: ${name}`, async () => {
      const s = setup({ mode: "none" });
      await s.put(await forge(await s.done()));
      const second = s.process();
      await second.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
      expect(second.answers).toEqual([]);
      expect(s.over.runs).toBe(1);
      expect(await s.security()).toEqual([expect.objectContaining({ reason: "ledger_forged" })]);
    });

    it(`is not answered to an expired grant either: ${name}`, async () => {
      const s = setup({ mode: "none" });
      await s.put(await forge(await s.done()));
      const late = await s.invoke("pay", ARGS, { dispatch: 2 });
      s.clock.now += 1_000_000;
      const second = s.process();
      await second.deliver(late);
      expect(second.answers).toEqual([]);
      expect(await s.security()).toEqual([expect.objectContaining({ reason: "ledger_forged" })]);
    });
  }

  it("is answered again if it is genuine, by a key that approvals pinned and the process does not have", async () => {
    const s = setup({ mode: "none" });
    const row = await s.done();
    const old = await signerOf(await generateSigningKey());
    const { callId, toolName: tool, toolHash, argsHash, fence, result, doneAt: at = 0 } = row;
    const receipt = await signAnswer(
      { callId, toolset: "orders", tool, toolHash, argsHash },
      { result: there(result ?? null), fence, at },
      old,
    );
    await s.put({ ...row, receipt });
    const before = s.process();
    await before.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
    expect(before.answers).toEqual([]);
    await pin(s, [publicKeyOf(old)]);
    const after = s.process();
    await after.deliver(await s.invoke("pay", ARGS, { dispatch: 3 }));
    expect(after.read()).toMatchObject([{ result: { status: "ok" }, receipt }]);
  });

  it.each([
    ["of another toolset", { toolset: "billing" }, true],
    ["that approvals did not sign", {}, false],
  ])("is not answered by the key of a pin %s", async (_, change, genuine) => {
    const s = setup({ mode: "none" });
    const row = await s.done();
    const old = await signerOf(await generateSigningKey());
    const { callId, toolName: tool, toolHash, argsHash, fence, result, doneAt: at = 0 } = row;
    await s.put({
      ...row,
      receipt: await signAnswer({ callId, toolset: "orders", tool, toolHash, argsHash }, { result: there(result ?? null), fence, at }, old),
    });
    await pin(s, [publicKeyOf(old)], change, genuine ? approvalsSigner : receiptSigner);
    const after = s.process();
    await after.deliver(await s.invoke("pay", ARGS, { dispatch: 3 }));
    expect(after.answers).toEqual([]);
  });

  async function pin(
    s: ReturnType<typeof setup>,
    keysOf: readonly ReturnType<typeof publicKeyOf>[],
    change: object = {},
    signer = approvalsSigner,
  ) {
    const key = keys.pin("pay");
    const { definition, hash } = there(s.process().context.toolset.find("pay") ?? null);
    const content = {
      toolset: "orders",
      definition,
      hash,
      enabled: true,
      pinnedAt: 1,
      pinnedBy: "otto",
      receiptKeys: [...keysOf],
      ...change,
    };
    const value = await signDocument("tb-pin+jwt", { key, revision: 1, content: content as never }, signer);
    await s.state.commit("00", { op: "pin", guards: [{ key, version: 0 }], put: [{ key, value: value as unknown as Json }] });
  }
});

describe("a ledger that lost the row of a write that this process sent", () => {
  for (const mode of ["none", "reconcile"] as const)
    it(`does not make it run twice (${mode}): the call ends as unknown, and it is recorded`, async () => {
      const s = setup({ mode });
      const worker = s.process();
      await worker.deliver(await s.invoke("pay", ARGS));
      await s.put(null);
      await worker.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
      expect(s.over.runs).toBe(1);
      expect(worker.read().map(({ result }) => result.status)).toEqual(["ok", "outcome_unknown"]);
      expect(await s.security()).toEqual([expect.objectContaining({ reason: "ledger_row_gone" })]);
    });

  it("does not run it twice either if a row from before the sending was put back", async () => {
    const s = setup({ mode: "none" });
    const worker = s.process();
    await worker.deliver(await s.invoke("pay", ARGS));
    const { result: _, receipt: __, doneAt: ___, sendingAt: ____, ...row } = there(await s.row());
    await s.put({ ...row, state: "begun" });
    await worker.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
    expect(s.over.runs).toBe(1);
    expect(await s.security()).toHaveLength(1);
  });

  it("does not say that it was cancelled before it was sent", async () => {
    const s = setup();
    const worker = s.process();
    await worker.deliver(await s.invoke("pay", ARGS));
    await s.put(null);
    await s.stopCall();
    await worker.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
    expect(worker.read().map(({ result }) => result.status)).toEqual(["ok", "outcome_unknown"]);
  });

  it("runs it again if the target distinguishes a second try from the first", async () => {
    const s = setup();
    const worker = s.process();
    await worker.deliver(await s.invoke("pay", ARGS));
    await s.put(null);
    await worker.deliver(await s.invoke("pay", ARGS, { dispatch: 2 }));
    expect(s.over.effects).toEqual(new Map([[s.callId(), 1]]));
    expect(worker.read().map(({ result }) => result.status)).toEqual(["ok", "ok"]);
  });
});

describe("every answer of a write", () => {
  const genuine = async (
    s: ReturnType<typeof setup>,
    worker: Pick<TestProcess, "read">,
    sent: { readonly body: string },
    stale = false,
  ) => {
    const [answer] = worker.read();
    const argsHash = argumentsHash((JSON.parse(sent.body) as { arguments: string }).arguments);
    const call = { callId: s.callId(), toolset: "orders", tool: "pay", argsHash };
    return (await verifyAnswer(call, { ...there(answer ?? null), stale }, receiptKeys)).kind;
  };

  it("is signed: a result, a refusal of its arguments, a missing version, a tool that is switched off", async () => {
    const one = setup();
    const worker = one.process();
    const sent = await one.invoke("pay", ARGS);
    await worker.deliver(sent);
    expect(await genuine(one, worker, sent)).toBe("genuine");

    const two = setup();
    const refusing = two.process();
    const invalid = await two.invoke("pay", { amount: 0, to: "x" });
    await refusing.deliver(invalid);
    expect(refusing.read()[0]?.result.error?.code).toBe("invalid_arguments");
    expect(await genuine(two, refusing, invalid)).toBe("genuine");

    const three = setup();
    const unknowing = three.process();
    const unknown = await three.invoke("pay", ARGS, { hash: `sha256-${"A".repeat(43)}` });
    const elsewhere = { ...unknown, attributes: { ...unknown.attributes, [attributes.toolVersion]: "9" } };
    await unknowing.deliver(elsewhere);
    expect(unknowing.read()[0]?.result.error?.code).toBe("tool_not_found");
    expect(await genuine(three, unknowing, elsewhere)).toBe("genuine");
  });

  it("is signed as stale if its grant was, and never passes for a result", async () => {
    const s = setup();
    const worker = s.process();
    const sent = await s.invoke("pay", ARGS);
    s.clock.now += 1_000_000;
    await worker.deliver(sent);
    expect(await genuine(s, worker, sent, true)).toBe("genuine");
    expect(await genuine(s, worker, sent, false)).toBe("forged");
  });

  it("of a read is not signed: it costs nothing", async () => {
    const s = setup();
    const worker = s.process();
    await worker.deliver(await s.invoke("look_up", { id: "7", limit: 10 }));
    await worker.deliver(await s.invoke("look_up", { id: 7 }, { index: 1 }));
    expect(worker.read().map(({ receipt }) => receipt)).toEqual([undefined, undefined]);
  });

  it("counts only with the keys of its toolset", async () => {
    const s = setup();
    const worker = s.process();
    const sent = await s.invoke("pay", ARGS);
    await worker.deliver(sent);
    const other = publicKeys([publicKeyOf(await signerOf(await generateSigningKey()))]);
    const [answer] = worker.read();
    const { argsHash } = there(await s.row());
    const call = { callId: s.callId(), toolset: "orders", tool: "pay", argsHash };
    expect(await verifyAnswer(call, { ...there(answer ?? null), stale: false }, other)).toMatchObject({ kind: "unknown_key" });
  });
});
