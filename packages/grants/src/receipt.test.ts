import type { ReceiptClaims } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { contentHash } from "./hashes.ts";
import { staticKeySet } from "./key-sources.ts";
import { generateSigningKey, publicKeySet, signerOf } from "./keys.ts";
import { signReceipt, verifyReceipt } from "./receipt.ts";

describe("a receipt", () => {
  it("says what a worker did for this call", async () => {
    const { claims, receipt, keys } = await setup();
    expect(await verifyReceipt({ receipt, keys, expected: claims })).toEqual({ kind: "genuine", claims });
    expect(await verifyReceipt({ receipt, keys, expected: { callId: claims.callId, toolset: "orders" } })).toMatchObject({
      kind: "genuine",
    });
  });

  it("is the same text for the same claims", async () => {
    const { claims, receipt, signer } = await setup();
    expect(await signReceipt({ ...claims }, signer)).toBe(receipt);
  });

  it.each<[string, Partial<ReceiptClaims>]>([
    ["call", { callId: "rn_0a_01J9Z3NDEKTSV4RRFFQ69G5FAV.3.1" }],
    ["toolset", { toolset: "release" }],
    ["result", { resultHash: contentHash("another result") }],
    ["status", { answerHash: contentHash("error: refunded") }],
    ["attempt", { fence: 2 }],
  ])("of another %s is forged", async (_, other) => {
    const { claims, receipt, keys } = await setup();
    expect(await verifyReceipt({ receipt, keys, expected: { ...claims, ...other } })).toMatchObject({ kind: "forged", reason: "mismatch" });
  });

  it("by another key under a known id is forged, and by an unknown key proves nothing", async () => {
    const { claims, receipt, keys, signer } = await setup();
    const attacker = await signerOf(await generateSigningKey());
    const imitation = await signReceipt(claims, { ...attacker, kid: signer.kid });
    expect(await verifyReceipt({ receipt: imitation, keys, expected: claims })).toMatchObject({ kind: "forged", reason: "signature" });
    expect(await verifyReceipt({ receipt, keys: staticKeySet({ keys: [] }), expected: claims })).toMatchObject({ kind: "unknown_key" });
  });

  it("changed in any character is forged", async () => {
    const { claims, receipt, keys } = await setup();
    for (let at = 0; at < receipt.length; at++) {
      const changed = receipt.slice(0, at) + (receipt[at] === "A" ? "B" : "A") + receipt.slice(at + 1);
      expect((await verifyReceipt({ receipt: changed, keys, expected: claims })).kind).not.toBe("genuine");
    }
  });

  it("is not signed over claims that nobody would accept", async () => {
    const { claims, signer } = await setup();
    await expect(signReceipt({ ...claims, fence: -1 }, signer)).rejects.toThrow(/\/fence/);
  });
});

async function setup() {
  const stored = await generateSigningKey();
  const signer = await signerOf(stored);
  const claims: ReceiptClaims = {
    callId: "rn_0a_01J9Z3NDEKTSV4RRFFQ69G5FAV.3.0",
    toolset: "orders",
    tool: "refund_order",
    toolHash: contentHash("definition"),
    argsHash: contentHash("{}"),
    fence: 1,
    resultHash: contentHash("refunded"),
    answerHash: contentHash("ok: refunded"),
    at: 1_790_000_000_000,
  };
  return { claims, signer, receipt: await signReceipt(claims, signer), keys: staticKeySet(publicKeySet([stored])) };
}
