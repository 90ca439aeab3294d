import { describe, expect, it } from "vitest";
import { openJws, signJws } from "./jws.ts";
import type { KeySet } from "./key-set.ts";
import { ownKeys } from "./own-keys.ts";

const own = await ownKeys(["approvals", "gateway"]);
const { signer } = own.identityOf("approvals");
const keys = own.trusted.of("approvals");
const text = await signJws("tb-era+jwt", { era: 1 }, signer);
/** Treats every key id as the id of this service's key. */
const claiming = (service: string): KeySet => ({ find: () => own.trusted.of(service).find(own.identityOf(service).signer.kid) });

describe("a signed text that was verified before", () => {
  it("opens again, and does not count once its key is no longer trusted or its id belongs to another key", async () => {
    for (let n = 0; n < 2; n++) expect(await openJws("tb-era+jwt", text, keys)).toMatchObject({ kind: "opened", payload: { era: 1 } });
    expect(await openJws("tb-era+jwt", text, { find: async () => null })).toMatchObject({ kind: "unknown_key" });
    for (let n = 0; n < 2; n++)
      expect(await openJws("tb-era+jwt", text, claiming("gateway"))).toMatchObject({ kind: "refused", reason: "signature" });
    expect(await openJws("tb-pin+jwt", text, keys)).toMatchObject({ kind: "refused", reason: "header" });
  });

  it("is not mistaken for another text with the same signature", async () => {
    expect(await openJws("tb-era+jwt", text, keys)).toMatchObject({ kind: "opened" });
    const [header, , signature] = text.split(".");
    const other = `${header}.${Buffer.from('{"era":2}').toString("base64url")}.${signature}`;
    for (let n = 0; n < 2; n++) expect(await openJws("tb-era+jwt", other, keys)).toMatchObject({ kind: "refused", reason: "signature" });
  });

  it("still opens after so many others that it was forgotten", async () => {
    for (let era = 2; era < 300; era++) {
      const one = await signJws("tb-era+jwt", { era }, signer);
      expect(await openJws("tb-era+jwt", one, keys)).toMatchObject({ kind: "opened", payload: { era } });
    }
    expect(await openJws("tb-era+jwt", text, keys)).toMatchObject({ kind: "opened", payload: { era: 1 } });
  });
});
