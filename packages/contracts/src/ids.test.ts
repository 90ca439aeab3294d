import { describe, expect, it } from "vitest";
import {
  approvalCallId,
  approvalIdOf,
  callIdOf,
  callNamedIn,
  callParts,
  deadLetterIdOf,
  derivedIds,
  isApprovalId,
  isCallId,
  isConversationId,
  isDeadLetterId,
  isRunId,
  newConversationId,
  newRunId,
  rootRunId,
  runNamedIn,
  shardName,
  shardOf,
} from "./ids.ts";

const RUN = "rn_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const PARTS = { tenant: "acme", principal: "user:one", route: "POST /v1/investigations", key: "k1" };

describe("a shard", () => {
  it.each([
    RUN,
    `${RUN}~1`,
    `${RUN}.2.0`,
    `${RUN}~1~2.3.14`,
    `ap_${RUN}.2.0`,
    "cv_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "dl_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV",
  ])("can be read off %s", (id) => {
    expect(shardOf(id)).toBe("0a");
  });

  it.each([
    ["nothing", ""],
    ["another family", "xx_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["upper-case hex", "rn_0A_01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["a short ULID", "rn_0a_01ARZ3NDEKTSV4RRFFQ69G5FA"],
    ["a letter that no ULID contains", "rn_0a_01ARZ3NDEKTSV4RRFFQ69G5FAU"],
    ["a ULID past its range", "rn_0a_81ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["something after an id", `${RUN}}:x`],
    ["a line feed after an id", `${RUN}\n`],
    ["half a call", `${RUN}.2`],
    ["the approval of a run", `ap_${RUN}`],
    ["a call in a conversation", "cv_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0"],
    ["a sub-run below four levels", `${RUN}~1~2~3~4~5`],
  ])("is refused for %s", (_, id) => {
    expect(() => shardOf(id)).toThrow("is not an id of a conversation, run, call, approval, dead letter or delivery.");
    expect([isRunId, isConversationId, isCallId, isApprovalId].some((is) => is(id))).toBe(false);
  });

  it("is named with two hex digits", () => {
    expect([0, 9, 10, 255].map(shardName)).toEqual(["00", "09", "0a", "ff"]);
  });
});

describe("new ids", () => {
  it("are valid and on one of the store's shards; a run is on its conversation's shard", () => {
    const random = seeded(1);
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const shards = 1 + (i % 32);
      const conversationId = newConversationId({ now: 1_800_000_000_000, random: random(32) }, shards);
      const runId = newRunId({ now: 1_800_000_000_000 + i, random: random(32) }, conversationId);
      expect([isConversationId(conversationId), isRunId(runId)]).toEqual([true, true]);
      expect(Number.parseInt(shardOf(conversationId), 16)).toBeLessThan(shards);
      expect(shardOf(runId)).toBe(shardOf(conversationId));
      seen.add(conversationId).add(runId);
    }
    expect(seen.size).toBe(1000);
  });

  it("reach every shard", () => {
    const random = seeded(2);
    const shards = Array.from({ length: 400 }, () => shardOf(newConversationId({ now: 0, random: random(16) }, 16)));
    expect(new Set(shards).size).toBe(16);
  });

  it("sort by time within a shard", () => {
    const random = seeded(3);
    const ids = [1, 2, 1000, 1_800_000_000_000].map((now) => newRunId({ now, random: random(16) }, "cv_00_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe("derived ids", () => {
  it("are the same for the same request, in this and every later release", () => {
    expect(derivedIds(PARTS, 16)).toEqual({
      conversationId: "cv_05_1NJN7YVMD5KBG5TTQ88DNB0M34",
      runId: "rn_05_3RT0RTRJV6664AKQJ7512HZH72",
    });
  });

  it("are valid ULIDs on the conversation's shard, whatever the key", () => {
    const random = seeded(4);
    for (let i = 0; i < 500; i++) {
      const { conversationId, runId } = derivedIds({ ...PARTS, key: Buffer.from(random(1 + (i % 40))).toString("latin1") }, 16);
      expect([isConversationId(conversationId), isRunId(runId)]).toEqual([true, true]);
      expect(shardOf(runId)).toBe(shardOf(conversationId));
    }
  });

  it("differ as soon as tenant, principal, route or key differ, even if the joined text is equal", () => {
    const requests = [
      PARTS,
      { ...PARTS, key: "k2" },
      { ...PARTS, tenant: "acme2" },
      { ...PARTS, principal: "user:two" },
      { ...PARTS, route: "POST /v1/conversations" },
      { ...PARTS, tenant: "acmeuser:", principal: "one" },
      { ...PARTS, tenant: 'acme","user:one', principal: "" },
    ];
    const ids = requests.flatMap((parts) => Object.values(derivedIds(parts, 16)));
    expect(new Set(ids).size).toBe(2 * requests.length);
  });
});

describe("a call id", () => {
  it("splits into what made it, for any run, round and index", () => {
    const random = seeded(5);
    for (let i = 0; i < 300; i++) {
      const [a = 0, b = 0, c = 0] = random(3);
      const runId = i % 2 === 0 ? RUN : `${RUN}~${a}`;
      const parts = { runId, round: b * 39, index: c };
      expect(callParts(callIdOf(runId, parts.round, parts.index))).toEqual(parts);
    }
  });

  it.each(["", RUN, `${RUN}.1`, `${RUN}.1.x`, `${RUN}.1.0.0`, `ap_${RUN}.1.0`, `${RUN}.-1.0`])("is refused when it is %j", (id) => {
    expect(() => callParts(id)).toThrow("is not a call id.");
  });

  it("names its approval, and an approval its call", () => {
    expect(approvalIdOf(`${RUN}.1.0`)).toBe(`ap_${RUN}.1.0`);
    expect(approvalCallId(`ap_${RUN}.1.0`)).toBe(`${RUN}.1.0`);
  });
});

describe("a sub-run", () => {
  it("has its root's origin", () => {
    expect([RUN, `${RUN}~1`, `${RUN}~1~2`].map(rootRunId)).toEqual([RUN, RUN, RUN]);
  });
});

describe("the id of a dead letter", () => {
  const parts = ["run.wake", "dead:m#1", "{}"];

  it("is the same for the same dead letter, and differs for one that differs in any way", () => {
    const id = deadLetterIdOf(parts, 16, "0a");
    expect([isDeadLetterId(id), shardOf(id), deadLetterIdOf(parts, 16, "0a")]).toEqual([true, "0a", id]);
    const others = [
      ["x", "dead:m#1", "{}"],
      ["run.wake", "x", "{}"],
      ["run.wake", "dead:m#1", "x"],
      ["run.wakedead:m#1", "", "{}"],
    ];
    expect(new Set([id, ...others.map((other) => deadLetterIdOf(other, 16, "0a"))]).size).toBe(5);
  });

  it("is spread over all shards if none is given", () => {
    const shards = Array.from({ length: 500 }, (_, n) => shardOf(deadLetterIdOf(["q", String(n), ""], 16)));
    expect(new Set(shards).size).toBe(16);
    expect(deadLetterIdOf(parts, 16)).toBe(deadLetterIdOf(parts, 16));
  });
});

describe("what a text names", () => {
  it.each([
    [`${RUN}.2.0#1`, `${RUN}.2.0`, RUN],
    [`request:${RUN}~1.2.14#3`, `${RUN}~1.2.14`, `${RUN}~1`],
    [`wake:${RUN}!cancel#g1`, null, RUN],
    [`${RUN}.1.0000`, null, RUN],
    ["wake:rn_0a_short#1", null, null],
    ["", null, null],
  ])("in %j is its call and its run", (text, call, run) => {
    expect([callNamedIn(text), runNamedIn(text)]).toEqual([call, run]);
  });
});

/** Returns a generator of bytes that are the same in every test run. */
function seeded(seed: number): (bytes: number) => Uint8Array {
  let state = seed;
  const byte = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return (bytes) => Uint8Array.from({ length: bytes }, byte);
}
