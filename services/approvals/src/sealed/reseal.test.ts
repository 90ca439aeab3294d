import { readFile, writeFile } from "node:fs/promises";
import { HOME_SHARD, type JsonObject, keys } from "@toolbus/contracts";
import { rotateSealKeys, rotateSigningKeys } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { type Options, setup as setupApprovals } from "../testing/approvals-under-test.ts";
import { readRegistry, unregister } from "@toolbus/tool-kit";
import { bigRefund, refund, register, smallRefund } from "../testing/writes-under-test.ts";

describe("sealing again", () => {
  it("removes the old keys from approvals, pins and the era, so that they can be deleted, and changes nothing else", async () => {
    await using t = await setup();
    const pending = await t.hold(bigRefund(1));
    const granted = await t.ask(smallRefund(2));
    await t.decided.next();
    await t.post2("/v1/era/raise", { era: 1, reason: "restored" });
    await t.chained();
    expect(await t.seals()).toEqual({ left: 0, resealed: 0 });
    await t.rotate();
    // Approvals knows the new keys now but does not use them yet.
    expect(await t.seals()).toMatchObject({ left: 0 });
    const before = await t.stored(granted);
    await t.rotate();
    // Two approvals, a pin and the era; of the audit's chains, the positions in two shards and the ends of two chains.
    expect(await t.seals()).toEqual({ left: 8, resealed: 0 });
    expect((await t.post2("/v1/seals/again")).body).toEqual({ left: 0, resealed: 8 });
    expect((await t.post2("/v1/seals/again")).body).toEqual({ left: 0, resealed: 0 });
    await t.rotate({ finish: true });
    expect(await t.stored(granted)).toEqual(before);
    expect((await t.get("otto", "/v1/refused")).body).toEqual({ documents: [] });
    await t.decide("amy", pending, "approve");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
    expect((await t.get("otto", "/v1/era")).status).toBe(200);
    await t.chained();
    expect((await t.store.read([keys.pin(refund.name)])).documents[0]?.value).toMatchObject({ pinnedBy: "first_sight" });
    expect((await t.audit(HOME_SHARD)).filter(({ event }) => event === "pinned")).toHaveLength(1);
  });

  it("includes the pin of a write that nobody has registered at the moment", async () => {
    await using t = await setup();
    await t.hold(bigRefund(1));
    const [{ toolset, definition } = never()] = await readRegistry(t.store);
    await unregister(t.store, toolset, definition.name, definition.version);
    await t.chained();
    await t.rotate();
    await t.rotate();
    await t.post2("/v1/seals/again");
    await t.rotate({ finish: true });
    await register(t.store, refund, t.clock.now);
    await t.decide("amy", await t.hold(bigRefund(2)), "approve");
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it.each([
    { times: 2, answer: { left: 0, resealed: 6 } },
    { times: 1000, answer: { left: 6, resealed: 0 } },
  ])("tries a document again that others change, but not for ever: $times changes", async ({ times, answer }) => {
    await using t = await setup({ wrapStore: (state) => contended(state, times) });
    await t.hold(bigRefund(1));
    await t.chained();
    await t.rotate();
    await t.rotate();
    const left = await t.seals();
    expect((await t.post2("/v1/seals/again")).body).toEqual(answer);
    expect(left).toEqual({ left: 6, resealed: 0 });
  });

  it("matters when an old key is removed too early: the document waits, and is not lost", async () => {
    await using t = await setup();
    const pending = await t.hold(bigRefund(1));
    const old = await t.keyFiles();
    await t.rotate();
    await t.rotate();
    await t.rotate({ finish: true });
    expect(outsideChains((await t.get("otto", "/v1/refused")).body["documents"])).toMatchObject([
      { why: "unknown_key" },
      { why: "unknown_key" },
    ]);
    await t.restore(old);
    expect((await t.get("amy", `/v1/approvals/${pending}`)).status).toBe(200);
  });
});

/** Wraps a store so that somebody else changes each document just before it is sealed again, this many times. */
function contended(state: StateStore, times: number): StateStore {
  const counts = new Map<string, number>();
  return {
    ...state,
    async commit(shard, change) {
      const [guard] = change.guards;
      const count = guard ? (counts.get(guard.key) ?? 0) : times;
      if (guard && change.op.startsWith("reseal:") && count < times) {
        counts.set(guard.key, count + 1);
        const [found] = (await state.read([guard.key])).documents;
        const value = found?.value ?? null;
        await state.commit(shard, { op: `other:${count}:${guard.key}`, guards: [guard], put: [{ key: guard.key, value }] });
      }
      return state.commit(shard, change);
    },
  };
}

async function setup(options: Pick<Options, "wrapStore"> = {}) {
  const t = await setupApprovals({ tools: [refund], ...options });
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const files = [t.keyFile, `${t.keyFile}.seals`] as const;
  const post2 = async (url: string, body: object = {}) => {
    const answer = await t.request("otto", url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  return {
    ...t,
    post2,
    seals: async () => (await t.get("otto", "/v1/seals")).body,
    /** Rotates both kinds of keys by one step and restarts approvals. */
    async rotate({ finish = false } = {}) {
      await rotateSigningKeys(files[0], { finish });
      await rotateSealKeys(files[1], { finish, random });
      await t.restart();
    },
    keyFiles: () => Promise.all(files.map((file) => readFile(file, "utf8"))),
    async restore(texts: readonly string[]) {
      await Promise.all(files.map((file, n) => writeFile(file, texts[n] ?? "", { mode: 0o600 })));
      await t.restart();
    },
  };
}

function never(): never {
  throw new Error("The write is not registered.");
}

/** Returns the refused documents outside the chains of the audit. The ends of the chains have the same unknown key. */
function outsideChains(documents: unknown): readonly unknown[] {
  return (documents as readonly { readonly kind: string }[]).filter(({ kind }) => kind !== "chain");
}
