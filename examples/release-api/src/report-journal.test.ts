import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JournalEntry, openReportJournal } from "./report-journal.ts";
import { scratchFolder } from "@toolbus/release-facts/testing";

function setup() {
  const folder = scratchFolder();
  const directory = join(folder.path, "made", "on", "demand");
  return { directory, file: join(directory, "risk-reports.jsonl"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function entry(key: string): JournalEntry {
  const report = {
    report_id: `rr_${key}`,
    release_id: "v1",
    severity: "low",
    findings: ["zażółć\n"],
    filed_at: "2026-01-01T00:00:00.000Z",
  } as const;
  return { key, fingerprint: "f", report };
}

describe("report journal", () => {
  it("returns every entry in order when it is opened again", async () => {
    using world = setup();
    const first = await openReportJournal(world.directory);
    expect(first.entries).toEqual([]);
    await Promise.all(["a", "b", "c"].map((key) => first.append(entry(key))));
    await first.close();
    const second = await openReportJournal(world.directory);
    expect(second.entries).toEqual([entry("a"), entry("b"), entry("c")]);
    await second.close();
  });

  it("has the entry in the file before it says so", async () => {
    using world = setup();
    const journal = await openReportJournal(world.directory);
    await journal.append(entry("a"));
    expect(readFileSync(world.file, "utf8")).toBe(`${JSON.stringify(entry("a"))}\n`);
    await journal.close();
  });

  it("drops a line that was cut off at any byte, and writes the next one on a line of its own", async () => {
    using world = setup();
    const whole = Buffer.from(`${JSON.stringify(entry("torn"))}\n`);
    for (let cut = 1; cut < whole.length; cut += 7) {
      const first = await openReportJournal(world.directory);
      await first.close();
      writeFileSync(world.file, `${JSON.stringify(entry("a"))}\n`);
      appendFileSync(world.file, whole.subarray(0, cut));
      const second = await openReportJournal(world.directory);
      expect(second.entries).toEqual([entry("a")]);
      await second.append(entry("b"));
      await second.close();
      const third = await openReportJournal(world.directory);
      expect(third.entries).toEqual([entry("a"), entry("b")]);
      await third.close();
    }
  });

  it("does not change the file until it writes: a second process that only reads must not cut a line that the first is writing", async () => {
    using world = setup();
    const first = await openReportJournal(world.directory);
    appendFileSync(world.file, '{"key":"half');
    const second = await openReportJournal(world.directory);
    await second.close();
    expect(readFileSync(world.file, "utf8")).toBe('{"key":"half');
    await first.close();
  });

  it("does not open a file that is damaged in the middle", async () => {
    using world = setup();
    await (await openReportJournal(world.directory)).close();
    writeFileSync(world.file, `${JSON.stringify(entry("a"))}\n{"key":\n${JSON.stringify(entry("b"))}\n`);
    await expect(openReportJournal(world.directory)).rejects.toThrow(/^Line 2 of .* is damaged/);
  });

  it("accepts nothing once it is closed, and can be closed twice", async () => {
    using world = setup();
    const journal = await openReportJournal(world.directory);
    await Promise.all([journal.close(), journal.close()]);
    await expect(journal.append(entry("a"))).rejects.toThrow("The journal is closed.");
  });
});
