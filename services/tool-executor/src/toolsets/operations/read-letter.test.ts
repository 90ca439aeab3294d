import { attributes, MAX_BODY_BYTES, type Message, messageTypes, parseKeptLetter } from "@toolbus/contracts";
import { MAX_VALUE_BYTES } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { CALL, deadMessage, letter, RUN } from "../../testing/operations-under-test.ts";
import { readLetter } from "./read-letter.ts";

const LETTER = "dl_03_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const INVOKE = {
  id: `${CALL}#1`,
  topic: "tool.invoke.release",
  type: messageTypes.toolInvoke,
  correlationId: CALL,
  body: JSON.stringify({ toolCallId: CALL, toolName: "t", arguments: "{}", sessionId: "s" }),
};

describe("a dead letter", () => {
  it("is read with its reason, its history, and the run that its message names", () => {
    const history = [{ at: 5, reason: "busy" }];
    expect(readLetter(letter("run.wake", { reason: "no schema", deliveries: 3, history }), "run.wake")).toEqual({
      queue: "run.wake",
      reason: "no schema",
      deliveries: 3,
      history,
      message: deadMessage(),
      cut: false,
      unreadable: false,
      runId: RUN,
      replayBy: { kind: "publish" },
    });
  });

  it("belongs to the queue on whose dead queue it arrived, whatever it says itself", () => {
    const read = readLetter(letter("approval.request", { message: deadMessage({ topic: "elsewhere" }) }), "run.wake");
    expect([read.queue, read.message.topic]).toEqual(["run.wake", "run.wake"]);
  });

  it("refers to the dead letter whose replay it is", () => {
    const replayed = deadMessage({ attributes: { [attributes.replayOf]: LETTER } });
    expect(readLetter(letter("run.wake", { message: replayed }), "run.wake").former).toBe(LETTER);
    const wrong = deadMessage({ attributes: { [attributes.replayOf]: "../../etc" } });
    expect(readLetter(letter("run.wake", { message: wrong }), "run.wake").former).toBeUndefined();
  });

  it.each([
    ["its body", { correlationId: "x", id: "x", body: JSON.stringify({ toolCallId: CALL }) }],
    ["its correlation", { correlationId: CALL, id: "x", body: "no JSON" }],
    ["its id", { id: `request:${CALL}#2`, body: "[]" }],
  ])("names the call that is in %s", (_, part) => {
    expect(readLetter(letter("q", { message: deadMessage(part) }), "q")).toMatchObject({ callId: CALL, runId: RUN });
  });

  it("names nothing that only looks like an id", () => {
    const read = readLetter(
      letter("q", { message: deadMessage({ id: "1", correlationId: "rn_zz", body: '{"runId": 7, "toolCallId": "rn_03_x"}' }) }),
      "q",
    );
    expect([read.runId, read.callId]).toEqual([undefined, undefined]);
  });
});

describe("what a replay does", () => {
  it.each([
    ["an invoke, whose secret is gone", INVOKE, { kind: "call", callId: CALL }],
    ["a decision, whose grant is gone", { ...INVOKE, type: messageTypes.approvalDecided }, { kind: "call", callId: CALL }],
    ["an invoke that names no call", { ...INVOKE, id: "x", correlationId: "x", body: "{" }, { kind: "publish" }],
    ["a request for an approval", { ...INVOKE, type: messageTypes.approvalRequest }, { kind: "publish" }],
    ["a result", { ...INVOKE, type: messageTypes.toolResult }, { kind: "publish" }],
    ["a wake", {}, { kind: "publish" }],
    ["a broken message", { type: "nonsense", body: "{" }, { kind: "publish" }],
  ] as const)("for %s is known from its dead letter", (_, part, expected) => {
    expect(readLetter(letter("q", { message: deadMessage(part) }), "q").replayBy).toEqual(expected);
  });

  it("is a look at the call when the message was truncated, and nothing when it names none", () => {
    const cut = (part: object) => readLetter(letter("q", { message: deadMessage(part), cut: true }), "q").replayBy;
    expect(cut({ correlationId: CALL })).toEqual({ kind: "call", callId: CALL });
    expect(cut({})).toEqual({ kind: "none", why: expect.stringContaining("too large") });
  });
});

describe("a message that is not a dead letter", () => {
  it("is kept as the message that its broker gave up, without grant and call secret", () => {
    const secrets = { [attributes.grant]: "eyJ.grant", "Toolbus-Call-Secret": "s", [attributes.dispatch]: "1" };
    const bare: Message = { ...deadMessage(INVOKE), topic: "dead.tool.invoke.release", attributes: secrets };
    expect(readLetter(bare, "tool.invoke.release")).toMatchObject({
      reason: "its broker gave up on it",
      deliveries: 0,
      message: { ...deadMessage(INVOKE), attributes: { [attributes.dispatch]: "1" } },
      replayBy: { kind: "call", callId: CALL },
    });
  });

  it.each(["", "{", "null", "[]", '{"queue":"x"}', JSON.stringify({ ...JSON.parse(letter("q").body), extra: 1 })])(
    "but claims to be one is kept unchanged: %j",
    (body) => {
      const read = readLetter({ ...letter("run.wake"), body }, "run.wake");
      expect(read).toMatchObject({ queue: "run.wake", unreadable: true, message: { body, type: messageTypes.deadLetter } });
      expect(read.replayBy.kind).toBe("none");
    },
  );
});

describe("every message that is read", () => {
  const long = (n: number): string => "\u0001".repeat(n);
  it.each<[string, Message]>([
    ["a large body", letter("q", { message: deadMessage({ body: "x".repeat(200_000), correlationId: CALL }) })],
    ["a body of characters that JSON escapes", letter("q", { message: deadMessage({ body: long(40_000) }) })],
    [
      "long names",
      letter("q", {
        reason: long(4000),
        message: deadMessage({ id: long(5000), source: long(5000), type: long(5000), replyTo: long(5000) }),
      }),
    ],
    [
      "many attributes",
      letter("q", { message: deadMessage({ attributes: Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`a${n}`, long(3)])) }) }),
    ],
    ["a long history", letter("q", { history: Array.from({ length: 100 }, (_, n) => ({ at: n, reason: long(300) })) })],
    [
      "a bare message over every limit",
      { ...deadMessage({ body: "é".repeat(MAX_BODY_BYTES), attributes: { a: long(100_000) } }), topic: "dead.q" },
    ],
    ["half a character", letter("q", { message: deadMessage({ body: "\ud83d".repeat(30_000) }) })],
  ])("fits into a document: %s", (_, message) => {
    const whole = {
      ...readLetter(message, "q"),
      letterId: LETTER,
      tenant: "t".repeat(64),
      keptAt: 1,
      expiresAt: 2,
      replayed: { at: 1, by: "b".repeat(200), messageId: "m".repeat(200) },
    };
    expect(parseKeptLetter(whole)).toMatchObject({ ok: true });
    expect(Buffer.byteLength(JSON.stringify(whole))).toBeLessThan(MAX_VALUE_BYTES);
  });

  it("keeps a message in full unless it is large, and marks a truncated one", () => {
    const body = JSON.stringify({ runId: RUN, text: "x".repeat(20_000) });
    expect(readLetter(letter("q", { message: deadMessage({ body }) }), "q")).toMatchObject({ cut: false, message: { body } });
    const large = "y".repeat(100_000);
    const read = readLetter(letter("q", { message: deadMessage({ body: large }) }), "q");
    expect(read.cut).toBe(true);
    expect(large.startsWith(read.message.body)).toBe(true);
    expect(read.message.body.length).toBeGreaterThan(10_000);
  });
});
