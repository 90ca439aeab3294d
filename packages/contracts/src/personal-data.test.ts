import { describe, expect, it } from "vitest";
import { maskPersonalData } from "./personal-data.ts";

describe("personal data in a text", () => {
  it.each([
    ["Mail anna.b+x@example.co.uk now", "Mail [masked: e-mail address, …@example.co.uk] now"],
    ["<jürgen@müller.de>", "<[masked: e-mail address, …@müller.de]>"],
    ["to DE89 3704 0044 0532 0130 00.", "to [masked: IBAN, …3000]."],
    ["gb82west12345698765432", "[masked: IBAN, …5432]"],
    ["4111 1111 1111 1111", "[masked: card number, …1111]"],
    ["card=5555-5555-5555-4444;", "card=[masked: card number, …4444];"],
    ["378282246310005", "[masked: card number, …0005]"],
    ["call +49 30 1234567", "call [masked: phone number, …67]"],
    ["+1 (555) 123-4567", "[masked: phone number, …67]"],
    ["0049 (0)30-1234567", "[masked: phone number, …67]"],
    ["(030) 123 45 67", "[masked: phone number, …67]"],
    ["0171/1234567", "[masked: phone number, …67]"],
    ["555-123-4567", "[masked: phone number, …67]"],
  ])("is masked, and its domain or last digits remain: %s", (text, shown) => {
    expect(maskPersonalData(text).text).toBe(shown);
  });

  it("names each kind once", () => {
    expect(maskPersonalData("a@example.com, b@example.com, 4111111111111111").masked).toEqual(["e-mail address", "card number"]);
  });

  it.each([
    "Refund $149.99 for order ORD-8821.",
    "2026-11-25T18:40:00.000Z",
    "1764096000000",
    "192.168.100.200",
    "ap_rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T9.1.0",
    "6f9619ff-8b86-4d01-b42d-00c04fc964ff",
    "4111 1111 1111 1112",
    "DE88370400440532013000",
    "@everyone in #ops",
    "sha256-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4",
    "v1.25.0 of 100.000 items, 3.14159265358979",
  ])("is not seen in ordinary values: %s", (text) => {
    expect(maskPersonalData(text)).toEqual({ text, masked: [] });
  });

  it("is found in time linear in the length of the text", () => {
    const slow = ["a", "1", "1 ", "a@", "a.", "+1 ", "A1", "DE12 ", "(", "a@b."].filter((piece) => {
      const begun = performance.now();
      maskPersonalData(piece.repeat(20_000));
      return performance.now() - begun > 2000;
    });
    expect(slow).toEqual([]);
  });
});
