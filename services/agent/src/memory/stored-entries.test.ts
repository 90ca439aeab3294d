import type { Json, TranscriptEntry } from "@toolbus/contracts";
import { MAX_VALUE_BYTES, memoryStore, StoreRefused, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { readEntry, storeEntry } from "./stored-entries.ts";

const turn = (payload: Json): TranscriptEntry => ({
  type: "assistant",
  runId: "r",
  round: 1,
  text: "I look.",
  calls: [],
  at: 1,
  provider: "p",
  model: "m",
  vendor: { api: "p.messages", model: "m", payload },
});
const result = (content: string): TranscriptEntry => ({
  type: "result",
  runId: "r",
  round: 1,
  id: "c",
  callId: "r.1.0",
  name: "look",
  status: "ok",
  content,
  isError: false,
  at: 2,
});
const ENTRIES: readonly (readonly [string, TranscriptEntry])[] = [
  ["a message", { type: "user", runId: "r", text: "Hello.", at: 1 }],
  [
    "a turn with nothing of a vendor",
    { ...(turn(null) as Extract<TranscriptEntry, { type: "assistant" }>), vendor: { api: "p", model: "m", payload: null } },
  ],
  ["a turn with a small payload", turn([{ type: "thinking", signature: "é😀" }])],
  ["a turn with a large payload", turn({ blocks: Array.from({ length: 5000 }, (_, n) => ({ n, text: "é😀\u2028" })) })],
  ["a short result", result("{}")],
  ["a long result", result("é😀\u0000 ".repeat(40_000))],
];

const setup = () => memoryStore({ clock: () => 0 });

describe("an entry of a transcript", () => {
  it.each(ENTRIES)("is read back unchanged, and fits into its log: %s", async (_, entry) => {
    const state = setup();
    const stored = await storeEntry(state, entry);
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThan(MAX_VALUE_BYTES);
    expect(await readEntry(state, JSON.parse(JSON.stringify(stored)))).toEqual(entry);
    await state.close();
  });

  it("loses only its vendor's payload when that is lost or damaged: the neutral form stays", async () => {
    const state = setup();
    const stored = await storeEntry(state, turn("x".repeat(20_000)));
    const { vendor: _, ...neutral } = turn(null) as Extract<TranscriptEntry, { type: "assistant" }>;
    expect(await readEntry(setup(), stored)).toEqual(neutral);
    expect(await readEntry({ ...state, getBlob: () => Promise.reject(new StoreRefused("damaged")) }, stored)).toEqual(neutral);
  });

  it("shows the beginning of a long result and says that the rest is lost", async () => {
    const text = "y".repeat(100_000);
    const stored = await storeEntry(setup(), result(text));
    const read = await readEntry(setup(), stored);
    expect(read).toMatchObject({ status: "ok", isError: false });
    expect(read.type === "result" && read.content).toBe(
      `${text.slice(0, 4096)}\n[truncated: 95904 more characters left out]\n[result_unavailable: the rest is gone from the store, what the call did is not]`,
    );
  });

  it("is not reported as lost if the store does not answer", async () => {
    const stored = await storeEntry(setup(), result("z".repeat(100_000)));
    const away = { ...setup(), getBlob: () => Promise.reject(new StoreUnavailable("away")) };
    await expect(readEntry(away, stored)).rejects.toThrow(StoreUnavailable);
  });
});
