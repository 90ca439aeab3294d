import { mkdtempDisposable, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { rotateSealKeys, rotateSigningKeys } from "./key-rotation.ts";
import { publicKeySet, signerOf } from "./keys.ts";
import { staticKeySet } from "./key-sources.ts";
import { openSeal, sealDocument } from "./seal.ts";
import { openSealKeys } from "./seal-keys-file.ts";
import { signDocument, verifyDocument } from "./signed-document.ts";
import { openSigningKey, readSigningKeys } from "./signing-key-file.ts";

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
const document = { key: "tb:approval:{00}:x", revision: 1, content: { amount: 5 } };

describe("a rotation of seal keys", () => {
  it("lets every replica open what any other seals, at every step on either side", async () => {
    await using t = await setup();
    await openSealKeys({ file: t.file, make: random });
    let before = await t.seals();
    for (const [finish, step] of [
      [false, "verifying"],
      [false, "signing"],
      [true, null],
    ] as const) {
      expect(await rotateSealKeys(t.file, { finish, random })).toMatchObject({ step });
      const after = await t.seals();
      const opens = (sealed: object, keys: typeof after) => openSeal({ key: document.key, value: { ...sealed } }, keys).kind;
      expect(opens(sealDocument(document, after), before)).toBe("genuine");
      if (!finish) expect(opens(sealDocument(document, before), after)).toBe("genuine");
      before = after;
    }
    expect(before.all.size).toBe(1);
  });
});

describe("a rotation of a signing key", () => {
  it("ends with a new key, and signatures made meanwhile verify with the keys of their time", async () => {
    await using t = await setup();
    const { kid } = await openSigningKey({ file: t.file });
    for (const finish of [false, false, true]) {
      const before = await t.published();
      await rotateSigningKeys(t.file, { finish });
      const [current] = (await readSigningKeys({ file: t.file })) ?? [];
      if (!current) throw new Error("It has no key.");
      const signed = await signDocument("tb-era+jwt", { ...document, key: "tb:era:{00}:era" }, await signerOf(current));
      // A process with the keys of the previous step can verify the document, because operators distribute the public halves first.
      expect(await verifyDocument("tb-era+jwt", { key: "tb:era:{00}:era", value: signed }, before)).toMatchObject({ kind: "genuine" });
    }
    expect((await openSigningKey({ file: t.file })).kid).not.toBe(kid);
  });

  it("refuses a step that is not due", async () => {
    await using t = await setup();
    await expect(rotateSigningKeys(t.file, { finish: false })).rejects.toThrow(/does not exist: create it with "toolbus keys"/);
    await openSigningKey({ file: t.file });
    const text = await readFile(t.file, "utf8");
    await expect(rotateSigningKeys(t.file, { finish: true })).rejects.toThrow(/not used yet/);
    expect(await readFile(t.file, "utf8")).toBe(text);
    await rotateSigningKeys(t.file, { finish: false });
    await expect(rotateSigningKeys(t.file, { finish: true })).rejects.toThrow(/not used yet/);
    await rotateSigningKeys(t.file, { finish: false });
    await expect(rotateSigningKeys(t.file, { finish: false })).rejects.toThrow(/end the rotation with --finish/);
  });
});

async function setup() {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "rotation-"));
  const file = path.join(folder.path, "key");
  return {
    file,
    seals: () => openSealKeys({ file, make: null }),
    published: async () => staticKeySet(publicKeySet((await readSigningKeys({ file })) ?? [])),
    [Symbol.asyncDispose]: () => folder.remove(),
  };
}
