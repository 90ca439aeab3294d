import { keys, type Json } from "@toolbus/contracts";
import { generateSigningKey, type KeySet, publicKeySet, signDocument, signerOf, staticKeySet } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { grantProbe } from "./grant-probe.ts";
import { approvalsKeys, approvalsSigner, bench } from "../testing/bench.ts";
import { orders, target } from "../testing/target.ts";
import { toolset } from "../tool/toolset.ts";

const NO_KEYS = /^its worker cannot check grants: .*JWKS_URL/;
const SEEN_EVERY_MS = 30_000;

function setup(keysHere: KeySet = approvalsKeys, tools = orders(target())) {
  let now = 1000;
  const { state } = bench(tools);
  const put = async (key: string, value: Json): Promise<void> => {
    const { documents } = await state.read([key]);
    const version = documents[0]?.version ?? 0;
    await state.commit("00", { op: `put:${key}:${version}`, guards: [{ key, version }], put: [{ key, value }] });
  };
  const probe = grantProbe({ toolset: tools, state, keys: keysHere, monotonic: () => now });
  return {
    put,
    tick: (ms: number) => (now += ms),
    ask: () => probe.ask(),
    probe: async (revision = 1, signer = approvalsSigner) =>
      put(keys.keyProbe(), await signDocument("tb-probe+jwt", { key: keys.keyProbe(), revision, content: { madeAt: 1 } }, signer)),
    pin: async (revision = 1, signer = approvalsSigner) =>
      put(keys.pin("pay"), await signDocument("tb-pin+jwt", { key: keys.pin("pay"), revision, content: { tool: "pay" } }, signer)),
  };
}

/** Returns keys that may change while the worker runs, as the keys at a JWKS_URL do. */
function changingKeys(first: KeySet) {
  let current = first;
  return { keys: { find: (kid: string) => current.find(kid) } satisfies KeySet, become: (next: KeySet) => (current = next) };
}

const none = staticKeySet(publicKeySet([]));

describe("whether a worker can check grants", () => {
  it("is not known before approvals has signed anything", async () => {
    expect(await setup().ask()).toBeNull();
    expect(await setup(none).ask()).toBeNull();
  });

  it("is confirmed if it verifies the probe, or, without one, a pin", async () => {
    for (const what of ["probe", "pin"] as const) {
      const t = setup();
      await t[what]();
      expect(await t.ask()).toBeNull();
    }
  });

  it("is denied, with what to do, before anything is pinned, if it has the keys of another approvals, or none", async () => {
    for (const keysHere of [staticKeySet(publicKeySet([await generateSigningKey()])), none]) {
      const t = setup(keysHere);
      await t.probe();
      expect(await t.ask()).toMatch(NO_KEYS);
    }
  });

  it("is denied by the pins while approvals is of a version that stores no probe", async () => {
    const t = setup(none);
    await t.pin();
    expect(await t.ask()).toMatch(NO_KEYS);
  });

  it("is denied if it knows only the key that signed the pins, and grants are signed with another one", async () => {
    const t = setup();
    await t.pin();
    await t.probe(1, await signerOf(await generateSigningKey()));
    expect(await t.ask()).toMatch(NO_KEYS);
  });

  it("does not concern a toolset without a write", async () => {
    const reads = toolset({ name: "orders", tools: [] });
    const t = setup(none, reads);
    await t.probe();
    expect(await t.ask()).toBeNull();
  });

  it("is not denied because of a forged document, nor of an older one", async () => {
    const forger = { ...(await signerOf(await generateSigningKey())), kid: approvalsSigner.kid };
    const t = setup();
    await t.probe(1, forger);
    expect(await t.ask()).toBeNull();
    await t.pin(1, forger);
    expect(await t.ask()).toBeNull();
    await t.probe(3);
    expect(await t.ask()).toBeNull();
    await t.probe(2);
    expect(await t.ask()).toBeNull();
  });

  it("takes no pin for a probe", async () => {
    const t = setup(none);
    const pin = await signDocument("tb-pin+jwt", { key: keys.keyProbe(), revision: 1, content: { madeAt: 1 } }, approvalsSigner);
    await t.put(keys.keyProbe(), pin);
    expect(await t.ask()).toBeNull();
  });
});

describe("while the key of grants is rotated", () => {
  const rotation = async () => {
    const [first, next] = [await generateSigningKey(), await generateSigningKey()];
    const known = changingKeys(staticKeySet(publicKeySet([first])));
    const t = setup(known.keys);
    await t.probe(1, await signerOf(first));
    expect(await t.ask()).toBeNull();
    return { ...t, become: known.become, both: staticKeySet(publicKeySet([next, first])), next: await signerOf(next) };
  };

  it("a worker that learns of the next key in the first step stays available through the second", async () => {
    const t = await rotation();
    t.become(t.both);
    expect(await t.ask()).toBeNull();
    await t.probe(2, t.next);
    expect(await t.ask()).toBeNull();
  });

  it("a worker that has verified grants gets the time that a set of keys needs to be read again", async () => {
    const t = await rotation();
    await t.probe(2, t.next);
    for (let beat = 0; beat < 3; beat++) {
      expect(await t.ask()).toBeNull();
      t.tick(SEEN_EVERY_MS);
    }
    t.become(t.both);
    expect(await t.ask()).toBeNull();
  });

  it("a worker that never learns of the next key becomes unavailable, and is available again when it does", async () => {
    const t = await rotation();
    await t.probe(2, t.next);
    expect(await t.ask()).toBeNull();
    t.tick(3 * SEEN_EVERY_MS);
    expect(await t.ask()).toMatch(NO_KEYS);
    t.become(t.both);
    expect(await t.ask()).toBeNull();
    // The time is counted from the last success.
    t.become(none);
    expect(await t.ask()).toBeNull();
  });
});
