import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonlFiles } from "./jsonl-files.ts";

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-jsonl-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

describe("JSONL files", () => {
  it("get whole lines in the order of their calls, including those that come during a write", async () => {
    const { files, lost } = setup();
    const file = path.join(dir, "ordered.jsonl");
    for (let n = 0; n < 50; n++) files.append(file, JSON.stringify({ n }));
    const flushed = files.flush();
    for (let n = 50; n < 100; n++) files.append(file, JSON.stringify({ n }));
    await flushed;
    await files.flush();
    expect(linesOf(file).map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(lost).toEqual([]);
  });

  it("are readable only by their owner and keep their former content", async () => {
    const file = path.join(dir, "kept.jsonl");
    for (const line of ["1", "2"]) {
      const { files } = setup();
      files.append(file, line);
      await files.flush();
    }
    expect(linesOf(file)).toEqual(["1", "2"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("are open only during a write, however many there are", async () => {
    const { files, lost } = setup();
    const before = openFiles();
    for (let n = 0; n < 500; n++) files.append(path.join(dir, `many-${n}.jsonl`), "{}");
    await files.flush();
    expect(openFiles()).toBeLessThanOrEqual(before + 1);
    expect(readdirSync(dir).filter((name) => name.startsWith("many-"))).toHaveLength(500);
    expect(lost).toEqual([]);
  });

  it("lose their lines if they cannot be written, report it, and affect no other file", async () => {
    const { files, lost } = setup();
    files.append(path.join(dir, "missing", "folder.jsonl"), "1");
    files.append(path.join(dir, "good.jsonl"), "2");
    await files.flush();
    expect(lost).toEqual([[1, "ENOENT"]]);
    expect(linesOf(path.join(dir, "good.jsonl"))).toEqual(["2"]);
  });

  it("let no more than 10,000 lines wait", async () => {
    const { files, lost } = setup();
    const file = path.join(dir, "full.jsonl");
    for (let n = 0; n < 10_003; n++) files.append(file, "{}");
    await files.flush();
    expect(lost).toEqual([
      [1, "too_many"],
      [1, "too_many"],
      [1, "too_many"],
    ]);
    expect(linesOf(file)).toHaveLength(10_000);
  });
});

function setup() {
  const lost: [number, string][] = [];
  return { files: jsonlFiles({ onLost: (lines, code) => void lost.push([lines, code]) }), lost };
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
