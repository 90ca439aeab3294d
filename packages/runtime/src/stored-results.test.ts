import { type Json, keys, type RunEvent } from "@toolbus/contracts";
import type { LogEntry } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { RESULT_GONE, wholeEvents, wholeResult } from "./stored-results.ts";

const CONVERSATION = "cv_05_01JD0000000000000000000001";
const RUN = "rn_05_01JD0000000000000000000001";
const USAGE = { inputTokens: 1, outputTokens: 1, modelCalls: 1, toolCalls: 1 };

const resolved = (n: number, part: object = {}): object => ({
  type: "call.resolved",
  at: 1,
  callId: `${RUN}.1.${n}`,
  tool: "look",
  status: "ok",
  latencyMs: 1,
  content: "",
  usage: USAGE,
  ...part,
});
const result = (n: number, content: string): Json => ({ type: "result", runId: RUN, callId: `${RUN}.1.${n}`, content });
const logged = (values: readonly object[]): LogEntry[] => values.map((value, n) => ({ sequence: n + 1, value: value as Json }));

/** Returns a log with these entries, which records its reads. */
function transcript(entries: readonly Json[]) {
  const reads: string[] = [];
  return {
    reads,
    async range(log: string, { after, limit }: { readonly after: number; readonly limit: number }): Promise<readonly LogEntry[]> {
      expect(log).toBe(keys.transcript(CONVERSATION));
      reads.push(`${after + 1}-${after + limit}`);
      return entries.slice(after, after + limit).map((value, n) => ({ sequence: after + n + 1, value }));
    },
  };
}

const contents = (events: readonly RunEvent[]) => events.map((event) => ("content" in event ? event.content : event.type));

describe("the events of a run", () => {
  it("have the content of a result that only the transcript has, and do not name the entry", async () => {
    const log = transcript([{ type: "user" }, { type: "assistant" }, result(0, "one"), result(1, "two")]);
    const events = await wholeEvents(log, CONVERSATION, logged([resolved(0, { entry: 3 }), { type: "turn" }, resolved(1, { entry: 4 })]));
    expect(events).toEqual([resolved(0, { content: "one" }), { type: "turn" }, resolved(1, { content: "two" })]);
    expect(log.reads).toEqual(["3-4"]);
  });

  it("are as they are stored if none names an entry, and nothing is read", async () => {
    const log = transcript([]);
    const events = [resolved(0, { content: "here" }), { type: "turn" }];
    expect(await wholeEvents(log, CONVERSATION, logged(events))).toEqual(events);
    expect(log.reads).toEqual([]);
  });

  it("have the beginning of a long result, without secrets", async () => {
    const secret = "sk-proj-abcdefghijklmnopqrstuvwxyz012345";
    const log = transcript([result(0, "x".repeat(5000)), result(1, `the key ${secret}`)]);
    const events = await wholeEvents(log, CONVERSATION, logged([resolved(0, { entry: 1 }), resolved(1, { entry: 2 })]));
    expect(contents(events)).toEqual(["x".repeat(4096), "the key [redacted]"]);
  });

  it.each([{ entry: 1 }, { entry: 9 }, { entry: 0 }, { entry: -1 }, { entry: 1.5 }, { entry: 1e300 }, { entry: "1" }, { entry: null }])(
    "say that the content is gone if the transcript has no such result of the call: $entry",
    async ({ entry }) => {
      const log = transcript([result(7, "of another call")]);
      const events = await wholeEvents(log, CONVERSATION, logged([resolved(0, { entry })]));
      expect(contents(events)).toEqual([RESULT_GONE]);
    },
  );

  it.each<{ readonly entry: Json }>([{ entry: null }, { entry: "x" }, { entry: { type: "result", callId: `${RUN}.1.0`, content: 7 } }])(
    "say that the content is gone if the entry is no result: $entry",
    async ({ entry }) => {
      const events = await wholeEvents(transcript([entry]), CONVERSATION, logged([resolved(0, { entry: 1 })]));
      expect(contents(events)).toEqual([RESULT_GONE]);
    },
  );

  it("are read with one read for entries that follow each other, and one for each gap", async () => {
    const log = transcript(Array.from({ length: 9 }, (_, n) => result(n, `${n}`)));
    const events = [resolved(7, { entry: 8 }), resolved(1, { entry: 2 }), resolved(2, { entry: 3 }), resolved(2, { entry: 3 })];
    expect(contents(await wholeEvents(log, CONVERSATION, logged(events)))).toEqual(["7", "1", "2", "2"]);
    expect(log.reads).toEqual(["2-3", "8-8"]);
  });
});

describe("the result of a call", () => {
  const call = { callId: `${RUN}.1.0`, conversationId: CONVERSATION };
  const stored = { status: "ok", content: "", isError: false } as const;

  it("is that of its document, or has the content of the entry that the document names", async () => {
    const log = transcript([{ type: "user" }, result(0, "all of it, sk-proj-abcdefghijklmnopqrstuvwxyz012345")]);
    expect(await wholeResult(log, call)).toBeNull();
    expect(await wholeResult(log, { ...call, result: { ...stored, content: "here" } })).toEqual({ ...stored, content: "here" });
    expect(log.reads).toEqual([]);
    const entry = { sequence: 2, contentHash: "h" };
    // Nothing is left out: a person checks the receipt of the worker against the content.
    expect(await wholeResult(log, { ...call, result: stored, entry })).toEqual({
      ...stored,
      content: "all of it, sk-proj-abcdefghijklmnopqrstuvwxyz012345",
    });
  });

  it("is null if the conversation is no longer kept", async () => {
    const entry = { sequence: 2, contentHash: "h" };
    expect(await wholeResult(transcript([]), { ...call, result: stored, entry })).toBeNull();
    expect(await wholeResult(transcript([{ type: "user" }, result(3, "of another")]), { ...call, result: stored, entry })).toBeNull();
  });
});
