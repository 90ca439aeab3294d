import path from "node:path";
import { patched } from "@toolbus/testing";
import { defineConfig } from "vitest/config";
import { testMutants } from "./test-mutants.ts";

// Runs the tests of the mutant that `npm run mutants` names. The mutant's patches change the source text when a file is read from disk.
const name = process.env["TEST_MUTANT"];
const mutant = testMutants.find((known) => known.name === name);
if (!mutant) throw new Error(`There is no mutant "${name}".`);

export default defineConfig({
  root: path.resolve(import.meta.dirname, "../.."),
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      transform: (text, id) => (mutant.patches.some(({ file }) => id.endsWith(`/${file}`)) ? patched(mutant, id, text) : null),
    },
  ],
  test: {
    include: [...mutant.tests],
    testTimeout: 10_000,
    maxWorkers: 1,
    // The cache could return the compiled text of another mutant.
    fsModuleCache: false,
  },
});
