import { describe, expect, it } from "vitest";
import { openSeal, sealDocument } from "./seal.ts";
import { sealKeysOf } from "./seal-keys-file.ts";
import { sealReader } from "./seal-reader.ts";

const keys = sealKeysOf({ keys: [{ kid: "seal-1", secret: Buffer.alloc(32, 1).toString("base64url") }] });
const others = sealKeysOf({ keys: [{ kid: "seal-1", secret: Buffer.alloc(32, 2).toString("base64url") }] });
const KEY = "tb:approval:{00}:ap_1";
const content = { status: "pending", card: { "2": "b", "1": "a" }, list: [1, { x: null }] };
const sealed = sealDocument({ key: KEY, revision: 3, content }, keys);
const stored = (value: object) => JSON.parse(JSON.stringify(value));

describe("a reader of sealed documents", () => {
  it("opens what it sealed, and what it opened before, as the seal itself does", () => {
    const reader = sealReader({ keys });
    const expected = openSeal({ key: KEY, value: sealed }, keys);
    expect(expected).toMatchObject({ kind: "genuine", revision: 3, content });
    for (let n = 0; n < 2; n++) expect(reader.open({ key: KEY, value: stored(sealed) })).toEqual(expected);
    const own = sealReader({ keys: others });
    own.sealed(KEY, sealed);
    // The reader remembered the document, so it does not use the secret again.
    expect(own.open({ key: KEY, value: stored(sealed) })).toEqual(expected);
  });

  it.each([
    ["its content", { ...sealed, status: "approved" }],
    ["its revision", { ...sealed, seal: { ...sealed.seal, revision: 4 } }],
    ["its key's id", { ...sealed, seal: { ...sealed.seal, kid: "seal-2" } }],
    ["its code", { ...sealed, seal: { ...sealed.seal, mac: sealed.seal.mac.replace(/^./, (first) => (first === "A" ? "B" : "A")) } }],
    ["what is beside its content", { ...sealed, more: 1 }],
    ["its seal", content],
  ])("refuses a document it knows once %s is changed", (_, changed) => {
    const reader = sealReader({ keys });
    expect(reader.open({ key: KEY, value: stored(sealed) }).kind).toBe("genuine");
    expect(reader.open({ key: KEY, value: stored(changed) }).kind).not.toBe("genuine");
    expect(reader.open({ key: KEY, value: stored(sealed) }).kind).toBe("genuine");
  });

  it("refuses a known document under another key of the store, and a forged one however often it comes", () => {
    const reader = sealReader({ keys });
    expect(reader.open({ key: KEY, value: stored(sealed) }).kind).toBe("genuine");
    for (let n = 0; n < 2; n++) {
      expect(reader.open({ key: `${KEY}2`, value: stored(sealed) }).kind).toBe("forged");
      expect(sealReader({ keys: others }).open({ key: KEY, value: stored(sealed) }).kind).toBe("forged");
      expect(reader.open({ key: `${KEY}3`, value: null }).kind).toBe("unsealed");
    }
  });

  it("forgets the oldest document when it is full, and still opens it again", () => {
    const reader = sealReader({ keys, most: 1 });
    const other = sealDocument({ key: `${KEY}2`, revision: 1, content }, keys);
    for (let n = 0; n < 2; n++) {
      expect(reader.open({ key: KEY, value: stored(sealed) }).kind).toBe("genuine");
      expect(reader.open({ key: `${KEY}2`, value: stored(other) }).kind).toBe("genuine");
    }
  });
});
