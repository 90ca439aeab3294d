import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

describe("the agent's code", () => {
  it("names no tool outside its profiles", () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
    );
    expect(files.length).toBeGreaterThan(20);
    const naming = files.filter((file) =>
      /get_release_summary|file_risk_report/.test(readFileSync(path.join(import.meta.dirname, file), "utf8")),
    );
    expect(naming).toEqual([]);
  });
});
