import { calculateJwkThumbprint } from "jose";
import { describe, expect, it } from "vitest";
import { KeyRefused } from "./key-refused.ts";
import { generateSigningKey, publicKeySet, signerOf } from "./keys.ts";

describe("signing keys", () => {
  it("are named by the thumbprint of their public half", async () => {
    const key = await generateSigningKey();
    expect(key).toMatchObject({ kty: "OKP", crv: "Ed25519", alg: "Ed25519", use: "sig" });
    expect(key.kid).toBe(await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x: key.x }));
    expect((await signerOf(key)).kid).toBe(key.kid);
  });

  it("are published without their private half", async () => {
    const [first, second] = [await generateSigningKey(), await generateSigningKey()];
    const published = publicKeySet([first, second]);
    expect(published.keys.map(({ kid, x }) => [kid, x])).toEqual([
      [first.kid, first.x],
      [second.kid, second.x],
    ]);
    expect(JSON.stringify(published)).not.toContain(first.d);
    expect(published.keys.some((key) => "d" in key)).toBe(false);
  });

  it("are refused when the public half belongs to another key", async () => {
    const [own, other] = [await generateSigningKey(), await generateSigningKey()];
    await expect(signerOf({ ...own, x: other.x, kid: other.kid })).rejects.toThrow(KeyRefused);
    await expect(signerOf({ ...own, kid: other.kid })).rejects.toThrow(/not the thumbprint/);
  });
});
