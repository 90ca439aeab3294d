import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { RULE_TABLES, ruleLine } from "./rule-tables.ts";

describe("the rules of the model servers", () => {
  it.each(RULE_TABLES)("are in docs/model-servers.md with their sources: $title", async ({ rules }) => {
    const page = await readFile(new URL("../../../docs/model-servers.md", import.meta.url), "utf8");
    expect(rules.map(ruleLine).filter((line) => !page.includes(line))).toEqual([]);
  });

  it.each(RULE_TABLES)("have different names: $title", ({ rules }) => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
});
