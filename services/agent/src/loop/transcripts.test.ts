import { type Json, keys } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { transcripts } from "./transcripts.ts";

const conversation = (n: number): string => `cv_03_01JD000000000000000000000${n}`;
const LIMITS = { maxChars: 1_000_000, keptChars: 1_000_000 };

function setup(limits = LIMITS) {
  let now = 1;
  let commits = 0;
  const store = memoryStore({ clock: () => now });
  const reads: number[] = [];
  const counted: StateStore = {
    ...store,
    async range(log, options) {
      const page = await store.range(log, options);
      reads.push(page.length);
      return page;
    },
  };
  const say = async (texts: readonly string[], n = 1, expiresAt?: number): Promise<void> => {
    const key = keys.conversation(conversation(n));
    const { documents } = await store.read([key]);
    const entries: Json[] = texts.map((text) => ({ type: "user", runId: "r", text, at: 1 }));
    await store.commit("03", {
      op: `say:${++commits}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: { commits } }],
      append: [{ log: keys.transcript(conversation(n)), entries, ...(expiresAt === undefined ? {} : { expiresAt }) }],
    });
  };
  const known = transcripts(counted, limits);
  const read = async (n = 1) => (await known.read(conversation(n)))?.map((entry) => entry.type === "user" && entry.text) ?? null;
  return { say, read, reads, advance: (ms: number) => void (now += ms) };
}

describe("transcripts", () => {
  it("are read whole, and after that only what is new", async () => {
    const t = setup();
    await t.say(Array.from({ length: 1200 }, (_, n) => `m${n}`));
    expect(await t.read()).toHaveLength(1200);
    await t.say(["one more"]);
    t.reads.length = 0;
    expect((await t.read())?.at(-1)).toBe("one more");
    // The last known entry, to see that it is still there, and the new one.
    expect(t.reads).toEqual([2]);
  });

  it("show what another replica has said meanwhile", async () => {
    const t = setup();
    await t.say(["a"]);
    await t.read();
    await t.say(["b"]);
    await t.say(["c"]);
    expect(await t.read()).toEqual(["a", "b", "c"]);
  });

  it("are read anew when the log began anew, even where it is as long as before", async () => {
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

  it("are refused when they are too long, without being read to their end", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 10_000 });
    await t.say(Array.from({ length: 3000 }, (_, n) => `m${n}`));
    expect(await t.read()).toBeNull();
    expect(t.reads).toEqual([500]);
  });

  it("are forgotten, the oldest first, when they take too much memory", async () => {
    const t = setup({ maxChars: 10_000, keptChars: 250 });
    for (const n of [1, 2]) await t.say(["x".repeat(100)], n);
    for (const n of [1, 2]) await t.read(n);
    await t.say(["more"], 1);
    await t.say(["more"], 2);
    t.reads.length = 0;
    await t.read(2);
    expect(t.reads).toEqual([2]);
    expect(await t.read(1)).toHaveLength(2);
  });
});
