import { generateSigningKey, publicKeySet, signerOf, staticKeySet } from "@toolbus/grants";
import type { StoredSigningKey } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { refuseUnlistedKeys } from "./listed-keys.ts";
import { Refusal } from "./refusal.ts";

describe("the key that a worker signs with", () => {
  it("is refused if the file of trusted keys has another one for a toolset, with the setting, the files and the remedy in one sentence", async () => {
    const t = await setup();
    await expect(t.check(t.other, { "worker.release": [t.own] })).rejects.toThrow(
      new Refusal(
        'The key in RECEIPT_KEY_FILE /keys/receipts.jwk is not the key of worker.release in SERVICE_KEYS_FILE /keys/service-keys.json, so everything that it signs would be refused: set RECEIPT_KEY_FILE to the key file that "toolbus keys" made for worker.release, and give the newest service-keys.json to all processes.',
      ),
    );
    await t.check(t.own, { "worker.release": [t.own] });
  });

  it("is refused if it is the key of only one of several toolsets, which the sentence leaves out", async () => {
    const t = await setup();
    const names = ["worker.release", "worker.mcp"];
    await expect(t.check(t.own, { "worker.release": [t.own], "worker.mcp": [t.other] }, names)).rejects.toThrow(
      /is not the key of worker\.mcp in SERVICE_KEYS_FILE .*, in a process of its own if the others have another key, and give/,
    );
    await t.check(t.own, { "worker.release": [t.own], "worker.mcp": [t.own] }, names);
  });

  it("may be the old or the next one while the keys are rotated, whichever signs, and no earlier one afterwards", async () => {
    const t = await setup();
    for (const keys of [
      [t.own, t.other],
      [t.other, t.own],
    ])
      for (const signing of keys) await t.check(signing, { "worker.release": keys });
    await expect(t.check(t.own, { "worker.release": [t.other] })).rejects.toThrow(Refusal);
  });

  it("is refused if the file has revoked it, or has another key under its id", async () => {
    const t = await setup();
    const [first, ...rest] = publicKeySet([t.own, t.other]).keys;
    const revoked = staticKeySet({ keys: [{ ...first, revoked: true }, ...rest] as never });
    await expect(t.checkSets(t.own, { "worker.release": revoked })).rejects.toThrow(Refusal);
    const { kid } = t.own;
    await expect(t.check(t.own, { "worker.release": [{ ...t.other, kid }] })).rejects.toThrow(Refusal);
  });

  it("is not compared if the file has no key that could verify it, because an operator then pins what the worker registers", async () => {
    const t = await setup();
    await t.check(t.own, {});
    await t.check(t.own, { "worker.release": [], "worker.other": [t.other] });
  });
});

/** Makes two keys, and checks one of them against a file of trusted keys. */
async function setup() {
  const [own, other] = [await generateSigningKey(), await generateSigningKey()];
  const checkSets = async (
    signing: StoredSigningKey,
    listed: Parameters<typeof refuseUnlistedKeys>[1]["listed"],
    names: readonly string[] = ["worker.release"],
  ) => {
    const key = { setting: "RECEIPT_KEY_FILE", file: "/keys/receipts.jwk", names, signer: await signerOf(signing) };
    return refuseUnlistedKeys([key], { listed, listedIn: "/keys/service-keys.json" });
  };
  return {
    own,
    other,
    checkSets,
    check: (signing: StoredSigningKey, keys: Readonly<Record<string, readonly StoredSigningKey[]>>, names?: readonly string[]) =>
      checkSets(signing, Object.fromEntries(Object.entries(keys).map(([name, set]) => [name, staticKeySet(publicKeySet(set))])), names),
  };
}
