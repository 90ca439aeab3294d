import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { SECRETS } from "../testing/receiver-under-test.ts";
import { isSigned, webhookSecret, webhookSignature } from "./webhook-signature.ts";

const [FIRST = "", SECOND = "", OTHER = ""] = SECRETS;
const bytes = (secret: string): Uint8Array => webhookSecret(secret) ?? new Uint8Array();
const seconds = Math.floor(new Date().getTime() / 1000);
const parts = { id: "wh_05_01JD0000000000000000000001", seconds, body: '{"type":"run.ended"}' };

describe("a signature of a webhook", () => {
  it("by two secrets is accepted by the package standardwebhooks with either, and with no other", () => {
    const headers = {
      "webhook-id": parts.id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": webhookSignature(parts, [bytes(FIRST), bytes(SECOND)]),
    };
    for (const secret of [FIRST, SECOND]) expect(new Webhook(secret).verify(parts.body, headers)).toEqual({ type: "run.ended" });
    expect(() => new Webhook(OTHER).verify(parts.body, headers)).toThrow("No matching signature");
    expect(() => new Webhook(FIRST).verify(`${parts.body} `, headers)).toThrow("No matching signature");
  });

  it("that the package makes is accepted here, for exactly these bytes, id and time", () => {
    const header = new Webhook(FIRST).sign(parts.id, new Date(seconds * 1000), parts.body);
    const secrets = [bytes(SECOND), bytes(FIRST)];
    expect(isSigned(header, parts, secrets)).toBe(true);
    expect(isSigned(`v1a,AAAA v1,AAAA ${header}`, parts, secrets)).toBe(true);
    expect(isSigned(header, parts, [bytes(OTHER)])).toBe(false);
    expect(isSigned(header, { ...parts, body: '{"type": "run.ended"}' }, secrets)).toBe(false);
    expect(isSigned(header, { ...parts, id: "other" }, secrets)).toBe(false);
    expect(isSigned(header, { ...parts, seconds: seconds + 1 }, secrets)).toBe(false);
    expect(isSigned("", parts, secrets)).toBe(false);
  });

  it("accepts secrets of 24 to 64 bytes in base64 after whsec_, and nothing else", () => {
    const of = (length: number) => `whsec_${Buffer.alloc(length, 7).toString("base64")}`;
    expect([24, 64].map((length) => webhookSecret(of(length))?.length)).toEqual([24, 64]);
    for (const text of [of(23), of(65), "whsec_", "secret", of(32).slice(6), `${of(32)} `]) expect(webhookSecret(text)).toBeNull();
  });
});
