import { describe, expect, it } from "vitest";
import { notesOnAdvisories, readChanges } from "./read-changes.ts";

const end = (ref: string) => ({ ref, commit: "0".repeat(40), date: "2026-01-01T00:00:00Z", tag: true });
const advisories = (ofPackage: number) => ({ ofPackage, fixed: { omitted: 0, list: [] }, open: { omitted: 0, list: [] } });
const version = (to: string | null) => ({ from: "1.0.0", to, step: "unknown", mayBreak: false }) as const;

describe("a list of advisories", () => {
  it("is noted if it cannot be compared, because the version is not known or nothing is about the package", () => {
    const notes = (ofPackage: number, to: string | null) =>
      notesOnAdvisories({ base: end("v1.0.0"), head: end("HEAD"), version: version(to), advisories: advisories(ofPackage) });
    expect(notes(3, null)).toEqual([expect.stringContaining("The version of HEAD is not known")]);
    expect(notes(0, "1.0.1")).toEqual([expect.stringContaining("not withdrawn")]);
    expect(notes(3, "1.0.1")).toEqual([]);
  });

  it("is not looked for in the current folder if its path is empty", async () => {
    const context = {
      around: { cwd: "/", env: {} },
      signal: new AbortController().signal,
      output: {},
      options: { quiet: true },
    } as unknown as Parameters<typeof readChanges>[0];
    await expect(readChanges(context, { repo: ".", from: "a", to: "b", advisories: "" })).rejects.toThrow("--advisories is empty");
  });
});
