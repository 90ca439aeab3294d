import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../../..");
/** The folders of this repository's own toolsets. */
const TOOLSETS = ["services/tool-executor/src/toolsets", "examples/orders-worker/src"];

describe("the agent's code", () => {
  it("names no tool outside its profiles", () => {
    const tools = TOOLSETS.flatMap(sourcesIn).flatMap(({ text }) =>
      [...text.matchAll(/defineTool\(\{\s*name: "([a-z_]+)"/g)].map(([, name = ""]) => name),
    );
    expect(tools).toEqual(expect.arrayContaining(["get_release_summary", "file_risk_report", "issue_refund"]));
    const files = sourcesIn("services/agent/src");
    expect(files.length).toBeGreaterThan(20);
    const naming = files.flatMap(({ file, text }) => tools.filter((tool) => text.includes(tool)).map((tool) => `${file} names ${tool}`));
    expect(naming).toEqual([]);
  });
});

/** Returns every source file below a folder except tests. */
function sourcesIn(folder: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, folder, file), "utf8") }));
}
