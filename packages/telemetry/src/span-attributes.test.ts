import { describe, expect, it } from "vitest";
import { clean, cleanName } from "./span-attributes.ts";

const SECRET = "sk-0123456789abcdefghij";

describe("attributes of spans", () => {
  it("are redacted each time, also under a name whose other values were harmless", () => {
    for (let n = 0; n < 12; n++) {
      expect(clean({ "span.topic": `topic ${n % 6}`, "span.of": "same" })).toEqual({ "span.topic": `topic ${n % 6}`, "span.of": "same" });
      expect(clean({ "span.topic": `key ${SECRET}`, "span.of": SECRET })).toEqual({
        "span.topic": "key [redacted]",
        "span.of": "[redacted]",
      });
    }
  });

  it("have a span whose name is redacted each time", () => {
    for (let n = 0; n < 12; n++)
      expect([cleanName(`work ${n % 8}`), cleanName(`work ${SECRET}`)]).toEqual([`work ${n % 8}`, "work [redacted]"]);
  });

  it("are cut at 512 characters each time", () => {
    for (let n = 0; n < 3; n++) expect(clean({ "span.long": "x".repeat(600) })).toEqual({ "span.long": "x".repeat(512) });
  });
});
