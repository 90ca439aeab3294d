import type { Json, JsonObject } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSeal, sealDocument } from "./seal.ts";
import { sealKeysOf } from "./seal-keys-file.ts";

const secretOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64url");
const keys = sealKeysOf({
  keys: [
    { kid: "new", secret: secretOf(1) },
    { kid: "old", secret: secretOf(2) },
  ],
});
const KEY = "tb:approval:{00}:ap_1";
const content = { approvalId: "ap_1", status: "pending", decisions: [{ approver: "amy" }], n: 1 } satisfies JsonObject;

describe("a sealed document", () => {
  it("opens to its content, in the form in which a store returns it", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue() as fc.Arbitrary<Json>),
        fc.integer({ min: 1 }),
        (random, revision) => {
          const { seal: _, ...bare } = random as Record<string, Json>;
          const stored = JSON.parse(JSON.stringify(sealDocument({ key: KEY, revision, content: bare }, keys))) as Json;
          expect(openSeal({ key: KEY, value: stored }, keys)).toMatchObject({ kind: "genuine", revision, kid: "new" });
        },
      ),
      { seed: 20261122, numRuns: 500 },
    );
  });

  it("is forged when any part of it was changed, or when it is under another key", () => {
    const sealed = sealDocument({ key: KEY, revision: 3, content }, keys);
    const { seal } = sealed;
    const changed: readonly Json[] = [
      { ...sealed, status: "approved" },
      { ...sealed, more: 1 },
      { ...content, decisions: [{ approver: "ben" }], seal },
      { ...content, seal: { ...seal, revision: 4 } },
      { ...content, seal: { ...seal, kid: "old" } },
      { ...content, seal: { ...seal, mac: "" } },
      { ...content, seal: { ...seal, mac: `${seal.mac}AA` } },
      { ...content, seal: { ...seal, revision: 0 } },
      { ...content, seal: "none" },
      { ...content, seal: null },
    ];
    for (const value of changed) expect([value, openSeal({ key: KEY, value }, keys).kind]).toEqual([value, "forged"]);
    expect(openSeal({ key: "tb:approval:{00}:ap_2", value: sealed }, keys).kind).toBe("forged");
    expect(openSeal({ key: KEY, value: sealed }, keys).kind).toBe("genuine");
  });

  it("of an older secret opens while the file has that secret, and is unknown afterwards", () => {
    const old = sealKeysOf({ keys: [{ kid: "old", secret: secretOf(2) }] });
    const sealed = sealDocument({ key: KEY, revision: 1, content }, old);
    expect(openSeal({ key: KEY, value: sealed }, keys)).toMatchObject({ kind: "genuine", kid: "old" });
    const rotated = sealKeysOf({ keys: [{ kid: "new", secret: secretOf(1) }] });
    expect(openSeal({ key: KEY, value: sealed }, rotated)).toMatchObject({ kind: "unknown_key" });
  });

  it("of another secret under a known id is forged", () => {
    const foreign = sealKeysOf({ keys: [{ kid: "new", secret: secretOf(9) }] });
    expect(openSeal({ key: KEY, value: sealDocument({ key: KEY, revision: 1, content }, foreign) }, keys).kind).toBe("forged");
  });

  it("without a seal is unsealed, whatever it is", () => {
    for (const value of [content, {}, [], null, "text", 1]) expect(openSeal({ key: KEY, value }, keys).kind).toBe("unsealed");
  });
});
