import { HOME_SHARD, type Json, keys } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, sealKeysOf, signedReader, signerOf, staticKeySet, type StoredSigningKey } from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { describe, expect, it, vi } from "vitest";
import { sealedStore } from "../sealed/sealed-store.ts";
import { setup as setupApprovals } from "../testing/approvals-under-test.ts";
import { keepProbe, type KeptProbe } from "./keep-probe.ts";

const KEY = keys.keyProbe();
const NEVER_MS = 3_600_000;

function setup() {
  const store = memoryStore({ clock: () => 1000 });
  const warnings: string[] = [];
  const open: KeptProbe[] = [];
  let ids = 0;
  return {
    store,
    warnings,
    /** Starts a process of approvals that has these keys and signs with the first one. */
    async start(signing: readonly [StoredSigningKey, ...StoredSigningKey[]], everyMs = NEVER_MS, state = store): Promise<void> {
      const seals = sealKeysOf({ keys: [{ kid: "test", secret: Buffer.alloc(32, 7).toString("base64url") }] });
      const ownKeys = staticKeySet(publicKeySet(signing));
      const sealed = sealedStore({ state, seals, signer: await signerOf(signing[0]), ownKeys });
      const log = { debug: () => undefined, warn: (_: object, text: string) => void warnings.push(text) };
      open.push(await keepProbe({ sealed, newId: () => `${++ids}`, log, everyMs }));
    },
    async stored() {
      const { documents } = await store.read([KEY]);
      return documents[0] ?? null;
    },
    async signedBy(key: StoredSigningKey): Promise<boolean> {
      const value: Json = (await this.stored())?.value ?? null;
      const reader = signedReader({ typ: "tb-probe+jwt", keys: staticKeySet(publicKeySet([key])) });
      return (await reader.read(KEY, value)).kind === "genuine";
    },
    async lose(): Promise<void> {
      const version = (await this.stored())?.version ?? 0;
      await store.commit(HOME_SHARD, { op: `lose:${++ids}`, guards: [{ key: KEY, version }], remove: [KEY] });
    },
    async [Symbol.asyncDispose]() {
      for (const one of open) await one.stop();
      await store.close();
    },
  };
}

describe("the probe of approvals' keys", () => {
  it("is stored at the start of the service, signed with a type of its own", async () => {
    await using t = await setupApprovals();
    const [probe] = (await t.store.read([KEY])).documents;
    const { signature } = (probe?.value ?? {}) as { readonly signature?: string };
    expect(JSON.parse(Buffer.from(signature?.split(".")[0] ?? "", "base64url").toString())).toMatchObject({ typ: "tb-probe+jwt" });
    await t.restart();
    expect((await t.store.read([KEY])).documents[0]?.version).toBe(probe?.version);
  });

  it("is signed again at a start with another key, and stays while replicas sign with the other of two known keys", async () => {
    await using t = setup();
    const [first, next] = [await generateSigningKey(), await generateSigningKey()];
    await t.start([first, next], 1);
    expect(await t.signedBy(first)).toBe(true);
    await t.start([next, first], 1);
    expect(await t.signedBy(next)).toBe(true);
    const { version } = (await t.stored()) ?? {};
    // After this many reads, each replica has checked the probe again.
    const reads = vi.spyOn(t.store, "read");
    await vi.waitUntil(() => reads.mock.calls.length > 6, { interval: 1 });
    expect((await t.stored())?.version).toBe(version);
  });

  it("is stored again when the store has lost it, or when somebody else wrote it", async () => {
    await using t = setup();
    const own = await generateSigningKey();
    await t.start([own], 1);
    await t.lose();
    await vi.waitUntil(() => t.signedBy(own), { interval: 1 });
    const version = (await t.stored())?.version ?? 0;
    await t.store.commit(HOME_SHARD, { op: "theirs", guards: [{ key: KEY, version }], put: [{ key: KEY, value: { madeAt: 1 } }] });
    await vi.waitUntil(() => t.signedBy(own), { interval: 1 });
    expect(t.warnings).toEqual([]);
  });

  it("waits for a store that does not answer, and holds up no start", async () => {
    await using t = setup();
    const own = await generateSigningKey();
    let away = true;
    const read: typeof t.store.read = async (names) => {
      if (away) throw new Error("The store does not answer.");
      return t.store.read(names);
    };
    await t.start([own], 1, { ...t.store, read });
    expect(t.warnings).not.toEqual([]);
    expect(await t.stored()).toBeNull();
    away = false;
    await vi.waitUntil(() => t.signedBy(own), { interval: 1 });
  });
});
