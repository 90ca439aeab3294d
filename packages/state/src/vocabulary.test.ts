import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

// The drivers define the words in `statement.run(`, `client.call(` and `redis.call(`.
const DRIVER_WORDS = /\.(?:run|call|callBuffer)\b/g;
const DOMAIN_WORDS = /(?<![a-z])(?:runs?|calls?|approvals?|tools?|toolsets?|conversations?|grants?|agents?|workers?|ledgers?)(?![a-z])/gi;

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(?:ts|lua)$/.test(file) && !file.endsWith(".test.ts"),
);

describe("the state store's source", () => {
  it("is found", () => {
    expect(files).toContain(path.join("memory", "memory-store.ts"));
    expect(files).toContain(path.join("sqlite", "sqlite-store.ts"));
    expect(files).toContain(path.join("redis", "scripts", "commit.lua"));
  });

  it.each(files)("has no word of the domain in %s", (file) => {
    const text = readFileSync(path.join(import.meta.dirname, file), "utf8").replaceAll(DRIVER_WORDS, "");
    expect([...text.matchAll(DOMAIN_WORDS)].map(([word]) => word)).toEqual([]);
  });
});
