import { type ContextDocument, type Json, keys, type TranscriptEntry } from "@toolbus/contracts";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { transcripts } from "./transcripts.ts";

const conversation = (n: number): string => `cv_03_01JD000000000000000000000${n}`;
const LIMITS = { maxChars: 1_000_000, keptChars: 1_000_000 };

const document = (part: Partial<ContextDocument>): ContextDocument => ({
  conversationId: conversation(1),
  from: 1,
  anchor: { runId: "r", at: 1 },
  kept: [],
  summary: null,
  strategy: "truncation",
  left: { entries: 0, tokens: 0 },
  writtenAt: 1,
  ...part,
});

function setup(limits = LIMITS) {
  let now = 1;
  let commits = 0;
  const first = memoryStore({ clock: () => now });
  let store = first;
  const reads: { readonly after: number; readonly got: number }[] = [];
  const counted: StateStore = {
    ...first,
    read: (wanted) => store.read(wanted),
    async range(log, options) {
      const page = await store.range(log, options);
      reads.push({ after: options.after, got: page.length });
      return page;
    },
  };
  const append = async (entries: readonly object[], n = 1, expiresAt?: number, context?: ContextDocument): Promise<void> => {
    const key = keys.conversation(conversation(n));
    const { documents } = await store.read([key]);
    await store.commit("03", {
      op: `say:${++commits}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: { commits } }, ...(context ? [{ key: keys.context(conversation(n)), value: context as unknown as Json }] : [])],
      append: [{ log: keys.transcript(conversation(n)), entries: entries as Json[], ...(expiresAt === undefined ? {} : { expiresAt }) }],
    });
  };
  const say = (texts: readonly string[], n = 1, expiresAt?: number, runId = "r"): Promise<void> =>
    append(
      texts.map((text) => ({ type: "user", runId, text, at: 1 })),
      n,
      expiresAt,
    );
  let known = transcripts(counted, { ...limits, monotonic: () => now });
  const window = (n = 1, version?: number) => known.window(conversation(n), version);
  const growth = (entries: readonly object[], context?: ContextDocument): Change => ({
    op: "grows",
    guards: [],
    append: [{ log: keys.transcript(conversation(1)), entries: entries as Json[] }],
    ...(context ? { put: [{ key: keys.context(conversation(1)), value: context as unknown as Json }] } : {}),
  });
  return {
    append,
    growth,
    /** Returns what is known from memory at a version. */
    at: (version: number) => known.at(conversation(1), version)?.entries.map(({ entry }) => textOf(entry)) ?? null,
    grown: (change: Change | null, before: number, after: number) => known.grown(conversation(1), change, { before, after }),
    begun: (change: Change, version: number) => known.begun(conversation(1), change, version),
    forget: () => known.forget(conversation(1)),
    say,
    reads,
    window,
    read: async (n = 1) => (await window(n)).entries.map(({ entry }) => textOf(entry)),
    advance: (ms: number) => void (now += ms),
    keep: (context: ContextDocument, entries: readonly object[] = []) => append(entries, 1, undefined, context),
    /** Replaces the reader with a new one that has read nothing. */
    restart: () => void (known = transcripts(counted, { ...limits, monotonic: () => now })),
    /** Replaces the store with an empty one, which has no context document. */
    empty: () => void (store = memoryStore({ clock: () => now })),
  };
}

const textOf = (entry: TranscriptEntry): string => (entry.type === "result" ? entry.content : entry.text);
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `m${n + 1}`);

const user = (text: string): object => ({ type: "user", runId: "r", text, at: 1 });

describe("a transcript that this process knows at a version of its run", () => {
  it("has no entry twice if a read began before a commit of this process and ended after it", async () => {
    const t = setup();
    const user = (text: string) => ({ type: "user", runId: "r", text, at: 2 });
    await t.say(["a"]);
    // The store has committed "b" as version 8, and its reply is late. Another step reads, and believes that this is version 7.
    await t.append([user("b")]);
    await t.window(1, 7);
    expect(t.at(7)).toEqual(["a", "b"]);
    t.grown(t.growth([user("b")]), 7, 8);
    expect(t.at(8)).toBeNull();
    await t.window(1, 8);
    expect(t.at(8)).toEqual(["a", "b"]);
  });

  it("is read from memory, and grows with this process's own commits", async () => {
    const t = setup();
    await t.say(["a"]);
    await t.window(1, 7);
    t.reads.length = 0;
    expect(t.at(7)).toEqual(["a"]);
    t.grown(t.growth([user("b")]), 7, 9);
    expect([t.at(9), t.at(7)]).toEqual([["a", "b"], null]);
    t.grown(null, 9, 12);
    expect(t.at(12)).toEqual(["a", "b"]);
    expect(t.reads).toEqual([]);
  });

  it("is what the store has, entry by entry", async () => {
    const t = setup();
    const change = t.growth([user("a"), user("b")]);
    t.begun(change, -1);
    expect(t.at(-1)).toEqual(["a", "b"]);
    await t.say(["a", "b"]);
    await t.say(["c"]);
    expect(await t.read()).toEqual(["a", "b", "c"]);
    // The reader accepted what it knew, and read only what is new.
    expect(t.reads).toEqual([{ after: 1, got: 2 }]);
  });

  it("is not known after another process's commit, when it is forgotten, or after two seconds", async () => {
    const t = setup();
    await t.say(["a"]);
    await t.window(1, 7);
    t.grown(t.growth([user("b")]), 8, 9);
    expect(t.at(9)).toBeNull();
    t.advance(2001);
    expect(t.at(7)).toBeNull();
    await t.window(1, 7);
    t.forget();
    expect(t.at(7)).toBeNull();
    // A read without a version says nothing about the version.
    await t.window();
    expect(t.at(7)).toBeNull();
  });

  it("is not known if a part of a new entry is stored elsewhere", async () => {
    const t = setup();
    await t.window(1, 7);
    const long = { type: "result", runId: "r", round: 1, id: "c", callId: "c", name: "look", status: "ok", isError: false, at: 1 };
    t.grown(t.growth([{ ...long, content: "x", contentRef: { blob: "sha256-x", chars: 9 } }]), 7, 8);
    expect(t.at(8)).toBeNull();
  });
});

describe("transcripts", () => {
  it("are read whole, and after that only what is new", async () => {
    const t = setup();
    await t.say(numbers(1200));
    expect(await t.read()).toHaveLength(1200);
    await t.say(["one more"]);
    t.reads.length = 0;
    expect((await t.read()).at(-1)).toBe("one more");
    // The reader reads the last known entry, to check that it is still there, and the new one.
    expect(t.reads).toEqual([{ after: 1199, got: 2 }]);
  });

  it.each([499, 500, 501, 999, 1000])("are read to their end when %i entries came in between", async (count) => {
    const t = setup();
    await t.say(["a"]);
    await t.read();
    await t.say(numbers(count));
    expect(await t.read()).toEqual(["a", ...numbers(count)]);
  });

  it("show what another replica has written in the meantime", async () => {
    const t = setup();
    await t.say(["a"]);
    await t.read();
    await t.say(["b"]);
    await t.say(["c"]);
    expect(await t.read()).toEqual(["a", "b", "c"]);
  });

  it("are read again when the log began again, even if it is as long as before", async () => {
    const t = setup();
    await t.say(["a", "b"], 1, 100);
    await t.read();
    t.advance(200);
    await t.say(["x", "y"], 1, 1000);
    expect(await t.read()).toEqual(["x", "y"]);
  });

  it("are empty when the log has expired", async () => {
    const t = setup();
    await t.say(["a"], 1, 100);
    await t.read();
    t.advance(200);
    expect(await t.read()).toEqual([]);
  });

  it("are evicted, the oldest first, when they use too much memory", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 300 });
    for (const n of [1, 2]) await t.say(["x".repeat(100)], n);
    for (const n of [1, 2]) await t.read(n);
    await t.say(["more"], 1);
    await t.say(["more"], 2);
    t.reads.length = 0;
    await t.read(2);
    expect(t.reads).toEqual([{ after: 0, got: 2 }]);
    expect(await t.read(1)).toHaveLength(2);
  });
});

describe("a transcript that is longer than a process keeps", () => {
  it("is read to its end, the oldest part counted and not kept", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 10_000 });
    await t.say(numbers(3000));
    const { entries, unread, document: stored } = await t.window();
    expect(entries.at(-1)).toMatchObject({ sequence: 3000, entry: { text: "m3000" } });
    expect(unread.entries).toBe(3000 - entries.length);
    expect(unread.chars).toBeGreaterThan(100_000);
    expect(stored).toBeNull();
    await t.say(["one more"]);
    expect((await t.window()).entries.at(-1)).toMatchObject({ sequence: 3001 });
  });

  it("keeps the newest message of the person, and no result without its turn", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 10_000 });
    const turn = (round: number) => ({ type: "assistant", runId: "r", round, text: "", calls: [], at: 1, provider: "p", model: "m" });
    const result = (round: number) => ({
      type: "result",
      runId: "r",
      round,
      id: "a",
      callId: "c",
      name: "n",
      status: "ok",
      content: "x".repeat(900),
      isError: false,
      at: 1,
    });
    await t.append([
      { type: "user", runId: "r", text: "Do it.", at: 1 },
      ...Array.from({ length: 30 }, (_, n) => [turn(n), result(n)]).flat(),
    ]);
    const { entries, unread } = await t.window();
    expect(entries.slice(0, 2)).toMatchObject([{ sequence: 1, entry: { type: "user", text: "Do it." } }, { entry: { type: "assistant" } }]);
    expect(unread.entries).toBe(61 - entries.length);
  });

  it("is complete again for the process when the window begins after the part that was not kept", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 10_000 });
    await t.say(numbers(1000));
    const { entries } = await t.window();
    const from = entries[1]?.sequence ?? 0;
    await t.keep(document({ from }));
    expect(await t.window()).toMatchObject({ unread: { entries: 0, chars: 0 }, document: { from } });
  });
});

describe("a window that is stored", () => {
  it("is all that a fresh process reads", async () => {
    const t = setup();
    await t.say(numbers(2000));
    await t.keep(document({ from: 1990, kept: [3, 4, 5, 700] }));
    const { entries, document: stored } = await t.window();
    expect(entries.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 700, ...Array.from({ length: 11 }, (_, n) => 1990 + n)]);
    expect(stored).toMatchObject({ from: 1990 });
    expect(t.reads.toSorted((a, b) => a.after - b.after)).toEqual([
      { after: 2, got: 3 },
      { after: 699, got: 1 },
      { after: 1989, got: 11 },
    ]);
  });

  it("moves the window that a process already knows, without reading it", async () => {
    const t = setup();
    await t.say(numbers(2000));
    await t.window();
    await t.keep(document({ from: 1990, kept: [3] }));
    t.reads.length = 0;
    expect((await t.window()).entries.map(({ sequence }) => sequence)).toEqual([3, ...Array.from({ length: 11 }, (_, n) => 1990 + n)]);
    expect(t.reads).toEqual([{ after: 1999, got: 1 }]);
    await t.keep(document({ from: 1995, kept: [] }));
    await t.say(["new"]);
    expect(await t.read()).toEqual(["m1995", "m1996", "m1997", "m1998", "m1999", "m2000", "new"]);
  });

  it("is void when its log has begun again, however long that is", async () => {
    const t = setup();
    await t.say(numbers(20), 1, 100);
    await t.keep(document({ from: 15, anchor: { runId: "r", at: 1 } }));
    await t.window();
    t.advance(200);
    await t.say(["x", "y"], 1, 1000, "later");
    expect(await t.window()).toMatchObject({ document: null, entries: [{ sequence: 1 }, { sequence: 2 }] });
    t.reads.length = 0;
    await t.window();
    expect(t.reads).toEqual([{ after: 1, got: 1 }]);
    await t.say(numbers(30), 1, 1000, "later");
    t.restart();
    expect(await t.window()).toMatchObject({ document: null });
    expect(await t.read()).toHaveLength(32);
  });

  it("is as in the store after the store was set back", async () => {
    const t = setup();
    await t.say(numbers(20));
    await t.keep(document({ from: 15 }));
    expect(await t.read()).toHaveLength(6);
    t.empty();
    await t.say(numbers(10));
    expect(await t.window()).toMatchObject({ document: null });
    expect(await t.read()).toEqual(numbers(10));
    await t.keep(document({ from: 9 }));
    await t.say(["m11"]);
    expect(await t.read()).toEqual(["m9", "m10", "m11"]);
  });

  it("may be set back alone, and then begins earlier again", async () => {
    const t = setup();
    await t.say(numbers(20));
    await t.keep(document({ from: 15 }));
    await t.read();
    await t.keep(document({ from: 5 }));
    expect(await t.read()).toEqual(numbers(20).slice(4));
  });
});
