import { readFile } from "node:fs/promises";
import path from "node:path";
import { patched } from "@toolbus/testing";
import { describe, expect, it } from "vitest";
import { testMutants } from "./mutants/test-mutants.ts";

const root = path.resolve(import.meta.dirname, "..");

describe("the mutants that tests have to catch", () => {
  it.each(testMutants)("fit the present product: $name", async (mutant) => {
    for (const file of new Set(mutant.patches.map((patch) => patch.file))) {
      const full = path.join(root, file);
      const text = await readFile(full, "utf8");
      expect(patched(mutant, full, text)).not.toBe(text);
    }
    for (const test of mutant.tests) await expect(readFile(path.join(root, test), "utf8")).resolves.toMatch(/^describe\w*[.(]/m);
  });

  it("have different names", () => {
    expect(new Set(testMutants.map(({ name }) => name)).size).toBe(testMutants.length);
  });
});
