import { expect } from "vitest";
import type { StateStore } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, create, ELSEWHERE, HERE, keyIn, under } from "./samples.ts";

const ASCENDING = ["m0", "m1", "m2", "m3", "m4", "m5", "m6"];

export const indexPagingChecks: Checks = {
  async "pages over all shards by score and member"({ store }) {
    await fill(store);
    expect(await walk(store, 3)).toEqual([["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6"]]);
  },

  async "also pages downwards"({ store }) {
    await fill(store);
    expect((await walk(store, 2, "desc")).flat()).toEqual(ASCENDING.toReversed());
  },

  async "returns no cursor on a full last page"({ store }) {
    await fill(store);
    const page = await store.page("i", { limit: ASCENDING.length });
    expect(page.members).toHaveLength(ASCENDING.length);
    expect(page.cursor).toBeUndefined();
  },

  async "returns an empty page for an index that does not exist"({ store }) {
    expect(await store.page("none", { limit: 10 })).toEqual({ members: [] });
  },

  async "moves a member to its new score, and removes it with null"({ store }) {
    const version = await create(store, A, 1, {
      index: [
        { index: "i", member: "x", score: 1 },
        { index: "i", member: "y", score: 2 },
        { index: "i", member: "z", score: 3 },
      ],
    });
    await store.commit(
      HERE,
      under(A, version, {
        index: [
          { index: "i", member: "x", score: 9 },
          { index: "i", member: "y", score: null },
        ],
      }),
    );
    expect((await store.page("i", { limit: 10 })).members).toEqual([
      { member: "z", score: 3 },
      { member: "x", score: 9 },
    ]);
  },

  async "neither skips nor repeats a member when others come and go between two pages"({ store }) {
    const version = await fill(store);
    const first = await store.page("i", { limit: 3 });
    await store.commit(
      HERE,
      under(A, version, {
        index: [
          { index: "i", member: "m0", score: null },
          { index: "i", member: "before", score: -1 },
        ],
      }),
    );
    const second = await store.page("i", { limit: 10, ...(first.cursor ? { cursor: first.cursor } : {}) });
    expect(second.members.map(({ member }) => member)).toEqual(["m3", "m4", "m5", "m6"]);
  },

  async "refuses a cursor that no page returned"({ store }) {
    await expect(store.page("i", { limit: 10, cursor: "nonsense" })).rejects.toThrow(RangeError);
  },
};

/** Adds m0 to m6, two at a time with the same score, and every second one in another shard. */
async function fill(store: StateStore): Promise<number> {
  const members = ASCENDING.map((member, n) => ({ index: "i", member, score: Math.floor(n / 2) * 1.5 }));
  await create(store, keyIn(ELSEWHERE, "a"), 1, { index: members.filter((_, n) => n % 2 === 1).toReversed() });
  return create(store, A, 1, { index: members.filter((_, n) => n % 2 === 0) });
}

/** Returns every page from the first to the last. */
async function walk(store: StateStore, limit: number, order: "asc" | "desc" = "asc"): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.page("i", { limit, order, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page.members.map(({ member }) => member));
    cursor = page.cursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}
