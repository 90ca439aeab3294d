import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { patched } from "./mutant.ts";
import { mutants } from "./mutants.ts";

const root = path.resolve(import.meta.dirname, "../../../..");

describe("the mutants", () => {
  it.each(mutants)("fit the present product: $name", async (mutant) => {
    for (const file of new Set(mutant.patches.map((patch) => patch.file))) {
      const full = path.join(root, file);
      const text = await readFile(full, "utf8");
      expect(patched(mutant, full, text)).not.toBe(text);
    }
  });

  it("have different names", () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it("are refused if the text that they change is missing, or occurs twice", () => {
    const mutant = { name: "old", breaks: "", within: 1, patches: [{ file: "a.ts", find: "x", replace: "y" }] };
    expect(patched(mutant, "/src/a.ts", "1 x 2")).toBe("1 y 2");
    expect(patched(mutant, "/src/b.ts", "1 x 2")).toBe("1 x 2");
    expect(() => patched(mutant, "/src/a.ts", "1 2")).toThrow('The mutant "old" does not fit /src/a.ts any more');
    expect(() => patched(mutant, "/src/a.ts", "x x")).toThrow("2 times");
  });
});
