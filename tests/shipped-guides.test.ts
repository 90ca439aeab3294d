import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { toolset } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";

const root = path.dirname(import.meta.dirname);
const TOOLSETS = "services/tool-executor/src/toolsets";

/** The folders of all toolsets with tools that ship, and of the example worker. */
const folders = [
  ...readdirSync(path.join(root, TOOLSETS), { withFileTypes: true })
    // The toolset operations has no tools.
    .filter((entry) => entry.isDirectory() && entry.name !== "operations")
    .map(({ name }) => `${TOOLSETS}/${name}`),
  "examples/orders-worker/src",
];

describe.each(folders)("the toolset in %s", (folder) => {
  it("ships a guide", () => {
    const markdown = readFileSync(path.join(root, folder, "guide.md"), "utf8");
    expect(toolset({ name: "any", tools: [], guide: markdown }).guide?.summary).toMatch(/^How .+\.$/);
    const sources = readdirSync(path.join(root, folder), { encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.includes(".test."),
    );
    const publishes = sources.filter((file) =>
      readFileSync(path.join(root, folder, file), "utf8").includes('new URL("guide.md", import.meta.url)'),
    );
    expect(publishes).toHaveLength(1);
  });

  it("names only tools that exist in its guide", () => {
    const markdown = readFileSync(path.join(root, folder, "guide.md"), "utf8");
    const named = [...markdown.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => name);
    const sources = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(path.join(root, folder, file), "utf8"))
      .join("\n");
    const known = new Set([...sources.matchAll(/name: "([a-z_]+)"/g)].map(([, name = ""]) => name));
    expect(named.filter((name) => !known.has(name) && !ENDINGS.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(1);
  });
});

/** Words in guides that name how a call ends. */
const ENDINGS: ReadonlySet<string> = new Set(["outcome_unknown"]);
