import { readFile } from "node:fs/promises";
import path from "node:path";
import { patched } from "@toolbus/testing";
import { describe, expect, it } from "vitest";
import { requirements } from "../requirements.ts";
import { mutations } from "./mutations.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("the mutations of requirements", () => {
  it.each(Object.entries(mutations))("fit the current product: %s", async (name, { patches }) => {
    for (const file of new Set(patches.map((patch) => patch.file))) {
      const full = path.join(root, file);
      const text = await readFile(full, "utf8");
      expect(patched({ name, patches }, full, text)).not.toBe(text);
    }
  });

  it("are one for each row that is met, and for no other", () => {
    const met = requirements.filter(({ state }) => state !== "planned").map(({ id }) => id);
    expect(Object.keys(mutations).toSorted()).toEqual(met.toSorted());
  });
});
