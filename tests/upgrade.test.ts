import { readFileSync } from "node:fs";
import path from "node:path";
import { compatibilityManifest, incompatibilities, manifestText, parseCompatibilityManifest } from "@toolbus/contracts";
import { expect, it } from "vitest";
import { BEFORE } from "./upgrade/manifest-of.ts";

const ROOT = path.resolve(import.meta.dirname, "..");

it("processes of this version and of the one before the first manifest may run side by side, except where decisions 0121 and 0128 say in which order", () => {
  const before = parseCompatibilityManifest(readFileSync(path.join(ROOT, `tests/fixtures/compatibility-${BEFORE}.json`), "utf8"));
  if (!before.ok) throw new Error("The recorded manifest cannot be read.");
  expect(incompatibilities(before.value, compatibilityManifest())).toEqual([
    { form: "call/Call", sentence: sentence("it may have the field entry, it may have the field written") },
    { form: "run/Run", sentence: sentence("it may have the field profileHash") },
  ]);
});

/** Both decisions ask for the same order. */
function sentence(fields: string): unknown {
  return expect.stringMatching(
    new RegExp(
      `^Agents and gateways .* \\(${fields}\\): replace the gateways before the agents, and stop all agents of the old version before the first new one starts\\.$`,
    ),
  );
}

it("the manifest in docs is the one of this build", () => {
  expect(readFileSync(path.join(ROOT, "docs/compatibility.json"), "utf8")).toBe(manifestText(compatibilityManifest()));
});
