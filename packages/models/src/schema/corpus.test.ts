import { describe, expect, it } from "vitest";
import { compileTool } from "./compile-tool.ts";
import { formFaults } from "./corpus/form-faults.ts";
import { readCorpus } from "./corpus/read-corpus.ts";
import { DIALECTS } from "./dialect.ts";
import { valueAt } from "./pointer.ts";

const corpus = readCorpus();
const vendors = DIALECTS.filter((dialect) => dialect !== "any");

describe("the corpus of real schemas", () => {
  it("has at least 150 schemas, each with a unique name", () => {
    expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
    expect(corpus.length).toBeGreaterThanOrEqual(150);
  });

  it.each(vendors)("is compiled for %s in a form that follows its rules", (dialect) => {
    const faults = corpus.flatMap(({ name, tool }) => {
      const compiled = compileTool(tool, dialect);
      return compiled.ok ? formFaults(compiled, dialect).map((fault) => `${name}: ${fault}`) : [];
    });
    expect(faults).toEqual([]);
  });

  it.each(vendors)("is set aside for %s only if a schema is invalid, with the place and a remedy", (dialect) => {
    for (const { name, tool, setAside } of corpus) {
      const compiled = compileTool(tool, dialect);
      expect([name, compiled.ok ? null : compiled.pointer]).toEqual([name, setAside]);
      if (!compiled.ok) expect(compiled.reason).toMatch(/^.{20,300}[.]$|^.{20,300}…}\.$/);
    }
  });

  it.each(vendors)("reports each loss for %s with a place in the tool's own parameters", (dialect) => {
    for (const { name, tool } of corpus) {
      const compiled = compileTool(tool, dialect);
      for (const { pointer, what } of compiled.ok ? compiled.losses : []) {
        expect([name, pointer, valueAt(tool.parameters, pointer) !== undefined]).toEqual([name, pointer, true]);
        expect(what).toMatch(/\.$/);
      }
    }
  });

  it.each(vendors)("compiles for %s to the same result as a copy, and returns the same object again", (dialect) => {
    for (const { tool } of corpus) {
      const compiled = compileTool(tool, dialect);
      expect(compileTool(tool, dialect)).toBe(compiled);
      // The copy has another text with the same meaning, so that the test compiles it instead of finding it in the cache.
      const copy = { ...structuredClone(tool), name: `${tool.name}_again` };
      expect(JSON.stringify({ ...compileTool(copy, dialect), name: "" })).toBe(JSON.stringify({ ...compiled, name: "" }));
    }
  });

  it.each(vendors)("does not change for %s if it is compiled a second time", (dialect) => {
    for (const { name, tool } of corpus) {
      const once = compileTool(tool, dialect);
      if (!once.ok) continue;
      const twice = compileTool({ name: once.name, description: once.description, parameters: once.parameters }, dialect);
      expect([name, twice.ok && [twice.name, twice.parameters, twice.losses, twice.strict]]).toEqual([
        name,
        [once.name, once.parameters, [], twice.ok && twice.strict],
      ]);
      expect(twice.ok && twice.restore('{"a": 1}')).toBe('{"a": 1}');
    }
  });

  it("is passed unchanged to a provider without rules", () => {
    for (const { tool } of corpus) {
      const compiled = compileTool(tool, "any");
      expect(compiled.ok && compiled.parameters).toBe(tool.parameters);
    }
  });
});
