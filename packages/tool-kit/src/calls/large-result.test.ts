import type { ToolResult } from "@toolbus/contracts";
import { answerHash, contentHash, resultHash, verifyReceipt } from "@toolbus/grants";
import { heldText, memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { bench, receiptKeys } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { noMedia } from "../tool/result-media.ts";
import { keptResult, MAX_CONTENT_BYTES } from "../tool/tool-output.ts";
import type { ToolOutput } from "../tool/tool.ts";
import { toolset } from "../tool/toolset.ts";

const ARGS = { amount: 5, to: "ann" };
const LARGE = `${"é😀 ".repeat(20_000)}end`;

function reading(output: ToolOutput) {
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  const tool = defineTool({ name: "look_up", kind: "read", description: "Looks up.", parameters, run: () => output });
  const made = bench(toolset({ name: "orders", tools: [tool] }));
  return { ...made, worker: made.process() };
}

/** Returns the answer of the worker, and the whole text to which it refers. */
async function answered({ state, worker }: Pick<ReturnType<typeof reading>, "state" | "worker">) {
  const [answer] = worker.read();
  if (!answer) throw new Error("nothing was answered");
  return { ...answer, text: await heldText(state, answer.result) };
}

describe("a result that is too long to travel", () => {
  it("is a blob in the store, and the answer has its beginning and where the whole is", async () => {
    const made = reading(LARGE);
    await made.worker.deliver(await made.invoke("look_up", {}));
    const { result, text } = await answered(made);
    expect(text).toBe(LARGE);
    expect(result).toMatchObject({
      status: "ok",
      content: LARGE.slice(0, 4096),
      contentRef: { chars: LARGE.length, bytes: Buffer.byteLength(LARGE) },
    });
    expect(result.truncated).toBeUndefined();
    expect(JSON.stringify(made.worker.answers).length).toBeLessThan(20_000);
    expect(resultHash(result)).toBe(contentHash(LARGE));
  });

  it("of a write is in the ledger by reference, and its receipt is over the whole", async () => {
    const over = target();
    over.onRun = (_, effect) => (effect(), LARGE);
    const made = bench(orders(over));
    const worker = made.process();
    await worker.deliver(await made.invoke("pay", ARGS));
    const { text, receipt } = await answered({ ...made, worker });
    expect(text).toBe(LARGE);
    const row = await made.row();
    expect(row?.result).toMatchObject({ content: LARGE.slice(0, 4096), contentRef: { chars: LARGE.length } });
    const expected = { callId: made.callId(), toolset: "orders", resultHash: contentHash(LARGE) };
    expect(await verifyReceipt({ receipt: receipt ?? "", keys: receiptKeys, expected })).toMatchObject({ kind: "genuine" });
  });

  it("is answered in full by the next attempt if a worker died between storing and recording it", async () => {
    const over = target();
    over.onRun = (_, effect) => (effect(), LARGE);
    const made = bench(orders(over));
    const stored = Promise.withResolvers<void>();
    const first = made.process({
      beforeCommit: (step) => (step === "finish" ? (stored.resolve(), new Promise(() => undefined)) : undefined),
    });
    const sent = await made.invoke("pay", ARGS);
    void first.deliver(sent);
    await stored.promise;
    expect((await made.row())?.state).toBe("sending");
    const second = made.process();
    expect(await second.deliver(sent, 2)).toEqual({ kind: "ack" });
    expect((await answered({ ...made, worker: second })).text).toBe(LARGE);
    expect(over.effects.size).toBe(1);
  });

  it("is truncated between characters if it is over the limit, and says how much is left out", async () => {
    const made = reading("é".repeat(MAX_CONTENT_BYTES));
    await made.worker.deliver(await made.invoke("look_up", {}));
    const { result, text } = await answered(made);
    expect(result.truncated).toBe(true);
    expect(result.contentRef?.bytes).toBeLessThanOrEqual(MAX_CONTENT_BYTES);
    const [, kept, left] = /^(é+)\n\[truncated: (\d+) more characters left out\]$/.exec(text ?? "") ?? [];
    expect((kept?.length ?? 0) + Number(left)).toBe(MAX_CONTENT_BYTES);
    expect(kept?.length).toBeGreaterThan(MAX_CONTENT_BYTES / 2 - 100);
  });

  it("of a read is produced again if its worker cannot store it", async () => {
    const made = reading(LARGE);
    Object.assign(made.worker.context.state, { putBlob: () => Promise.reject(new StoreUnavailable("away")) });
    expect(await made.worker.deliver(await made.invoke("look_up", {}))).toMatchObject({ kind: "retry" });
    expect(made.worker.answers).toEqual([]);
  });

  it("of a write is truncated if its worker cannot store it, because what happened must not be forgotten", async () => {
    const over = target();
    over.onRun = (_, effect) => (effect(), LARGE);
    const made = bench(orders(over, { mode: "none" }));
    const worker = made.process();
    Object.assign(worker.context.state, { putBlob: () => Promise.reject(new StoreUnavailable("away")) });
    await worker.deliver(await made.invoke("pay", ARGS));
    const [answer] = worker.read();
    expect(answer?.result).toMatchObject({ status: "ok", truncated: true });
    expect(answer?.result.content).toMatch(/^é😀 [\s\S]+\[truncated: \d+ more characters left out\]$/);
  });

  const picture = { mediaType: "image/png", bytes: Buffer.from("a picture") };

  it("has the media of a write in the ledger and in the answer, and its receipt is over them", async () => {
    const over = target();
    over.onRun = ({ attach }, effect) => (effect(), `drawn as ${attach(picture)}`);
    const made = bench(orders(over));
    const worker = made.process();
    await worker.deliver(await made.invoke("pay", ARGS));
    const { result, receipt } = worker.read()[0] ?? {};
    const blob = result?.media?.[0]?.blob ?? "";
    expect(result).toMatchObject({ content: `drawn as ${blob}`, media: [{ blob, mediaType: "image/png", bytes: 9 }] });
    expect(Buffer.from((await made.state.getBlob(blob)) ?? []).toString()).toBe("a picture");
    expect((await made.row())?.result?.media).toEqual(result?.media);
    const verdict = await verifyReceipt({
      receipt: receipt ?? "",
      keys: receiptKeys,
      expected: { callId: made.callId(), toolset: "orders" },
    });
    expect(verdict).toMatchObject({ kind: "genuine", claims: { answerHash: answerHash(result as ToolResult) } });
    expect(verdict).not.toMatchObject({ claims: { answerHash: answerHash({ ...(result as ToolResult), media: [] }) } });
  });

  it("says so if the media of a write cannot be stored", async () => {
    const over = target();
    over.onRun = ({ attach }, effect) => (effect(), `drawn as ${attach(picture)}`);
    const made = bench(orders(over, { mode: "none" }));
    const worker = made.process();
    Object.assign(worker.context.state, { putBlob: () => Promise.reject(new StoreUnavailable("away")) });
    await worker.deliver(await made.invoke("pay", ARGS));
    const [answer] = worker.read();
    expect(answer?.result).toMatchObject({
      status: "ok",
      content: expect.stringMatching(/^\[The pictures, sounds and files of this result could not be stored\.\]\ndrawn as sha256-/),
    });
    expect(answer?.result).not.toHaveProperty("media");
  });

  it("stays in the answer if it fits", async () => {
    const made = reading("x".repeat(48 * 1024));
    await made.worker.deliver(await made.invoke("look_up", {}));
    expect((await answered(made)).result).toMatchObject({ content: "x".repeat(48 * 1024) });
    expect((await answered(made)).result.contentRef).toBeUndefined();
  });
});

describe("a text that is not valid Unicode", () => {
  it("comes back as what was hashed", async () => {
    const state: StateStore = memoryStore({ clock: () => 0 });
    const result: ToolResult = { status: "ok", content: `\ud800${LARGE}`, isError: false };
    const kept = await keptResult(result, { state, maxBytes: MAX_CONTENT_BYTES, media: noMedia });
    expect(contentHash((await heldText(state, kept)) ?? "")).toBe(resultHash(kept));
    await state.close();
  });
});
