import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { vendorId } from "./vendor-id.ts";

const form = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 40 };

describe("an id in a vendor's form", () => {
  it("stays unchanged if the vendor accepts it", () => {
    for (const id of ["toolu_01A", "call_0", "seed_lookup_order", "x".repeat(40)]) expect(vendorId(id, form)).toBe(id);
  });

  it("keeps the form whatever the id is, and is the same for the same id", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (id) => {
        const made = vendorId(id, form);
        expect(made).toMatch(form.pattern);
        expect(made.length).toBeLessThanOrEqual(form.maxLength);
        expect(vendorId(id, form)).toBe(made);
      }),
    );
  });

  it("never maps two ids to one", () => {
    const odd = ["", " ", "a b", "a.b", "a:b", "x".repeat(41), "x".repeat(42), "ä"];
    // A generated id must not equal an id that arrived in this form.
    const all = [...odd, ...odd.map((id) => vendorId(id, form)), "a_b", "ab"];
    expect(new Set(all.map((id) => vendorId(id, form))).size).toBe(all.length);
  });
});
