import type { Json, JsonObject } from "@toolbus/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CompiledTool, compileTool, type Loss } from "./compile-tool.ts";
import { instancesOf } from "./corpus/instances.ts";
import { validatorOf } from "./corpus/validator.ts";
import { readCorpus } from "./corpus/read-corpus.ts";
import { DIALECTS } from "./dialect.ts";

const corpus = readCorpus();
const RUNS = 25;

describe.each(DIALECTS.filter((dialect) => dialect !== "any"))("a value that a compiled schema accepts, for %s", (dialect) => {
  it("is accepted by the tool's own schema after it is restored, or a loss names the place", { timeout: 120_000 }, () => {
    let uncovered = 0;
    for (const { name, tool, meaning } of corpus) {
      const compiled = compileTool(tool, dialect);
      if (!compiled.ok) continue;
      const targets = referenced(meaning);
      const takes = validatorOf(compiled.parameters);
      const meant = validatorOf(oracle(meaning));
      fc.assert(
        fc.property(instancesOf(compiled.parameters), (written) => {
          expect([name, takes(structuredClone(written))]).toEqual([name, []]);
          const restored = JSON.parse(compiled.restore(JSON.stringify(written))) as Json;
          const problems = meant(structuredClone(restored));
          const unsaid = problems.filter(({ path }) => !covers(compiled, path, targets));
          if (unsaid.length > 0) expect([name, unsaid.slice(0, 3), written]).toEqual([name, [], written]);
          uncovered += problems.length;
        }),
        { numRuns: RUNS, seed: 5 },
      );
    }
    // The worker's schema refuses some values that the compiled schema accepts. So the reported losses are necessary.
    expect(uncovered).toBeGreaterThan(100);
  });

  it("is accepted without any loss by at least a third of the tools", () => {
    const compiled = corpus.map(({ tool }) => compileTool(tool, dialect));
    expect(compiled.filter((tool) => tool.ok && tool.losses.length === 0).length).toBeGreaterThan(corpus.length / 3);
  });
});

/** Returns the schema in the form of the validator, which knows one dialect and complains about unknown formats. */
function oracle(meaning: JsonObject): JsonObject {
  const unknown = ["uint32", "path", "directory-path"];
  return JSON.parse(
    JSON.stringify(meaning, (word, value: unknown) =>
      word === "$schema" || (word === "format" && unknown.includes(String(value))) ? undefined : value,
    ),
  ) as JsonObject;
}

/** Returns true if a loss is at the place of the wrong value, above it or below it. */
function covers({ losses }: CompiledTool, path: string, targets: readonly string[]): boolean {
  const wrong = path.split("/").slice(1);
  return losses.some((loss) => places(loss, targets).some((place) => related(place, wrong)));
}

/** Returns the targets of references, which may be used anywhere. */
function referenced(schema: JsonObject): readonly string[] {
  const refs = JSON.stringify(schema).matchAll(/"\$(?:dynamicR|r)ef":"[^"#]*#([^"]*)"/g);
  return [...refs].map(([, pointer]) => decodeURIComponent(pointer ?? "")).filter((pointer) => pointer.startsWith("/"));
}

function related({ from, steps }: Place, wrong: readonly string[]): boolean {
  // A definition may be used anywhere below the root.
  const starts = from === "root" ? [0] : wrong.map((_, index) => index).concat(wrong.length);
  return starts.some((start) =>
    steps.every((step, index) => start + index >= wrong.length || step === "*" || step === wrong[start + index]),
  );
}

interface Place {
  readonly from: "root" | "anywhere";
  readonly steps: readonly string[];
}

/** Returns the places of the values to which a pointer into the schema applies. */
function places({ pointer }: Loss, targets: readonly string[]): readonly Place[] {
  const inside = targets.filter((target) => pointer.startsWith(target));
  return [placeOf(pointer, "root"), ...inside.map((target) => placeOf(pointer.slice(target.length), "anywhere"))];
}

function placeOf(pointer: string, start: Place["from"]): Place {
  const tokens = pointer.split("/").slice(1);
  const steps: string[] = [];
  let from = start;
  for (let index = 0; index < tokens.length; index++) {
    const word = tokens[index];
    if (word === "$defs" || word === "definitions" || word === "components") {
      from = "anywhere";
      steps.length = 0;
      index += word === "components" ? 2 : 1;
    } else if (word === "properties") steps.push(tokens[++index] ?? "*");
    else if (word === "items" || word === "prefixItems") {
      steps.push("*");
      if (/^\d+$/.test(tokens[index + 1] ?? "")) index++;
    } else if (word === "additionalProperties") steps.push("*");
    else if (word === "patternProperties") {
      if (index + 1 < tokens.length) steps.push("*");
      index++;
    } else if (word === "allOf" || word === "anyOf" || word === "oneOf") index++;
  }
  return { from, steps };
}

describe("a compiled tool", () => {
  it("returns arguments that were not rewritten unchanged", () => {
    const parameters: JsonObject = { type: "object", properties: { q: { type: "string" } }, required: ["q"], additionalProperties: false };
    const compiled = compileTool({ name: "t", description: "d", parameters }, "openai");
    const text = '{ "q" :  "x", "n": 1e999 }';
    expect(compiled.ok && compiled.restore(text)).toBe(text);
  });
});
