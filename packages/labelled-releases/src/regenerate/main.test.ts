import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

function regenerateWith(projects: string) {
  const folder = mkdtempSync(join(tmpdir(), "toolbus-releases-"));
  try {
    writeFileSync(join(folder, "projects.yaml"), projects);
    const command = [join(import.meta.dirname, "main.ts"), "--clones", folder, "--releases", folder];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", timeout: 60_000 });
    return { status, stdout, lines: stderr.trimEnd().split("\n") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the command that writes the facts again", () => {
  it.each([
    ["has a wrong field", "projects: 1\n", /^projects\.yaml cannot be used: \/projects .+[^.]\.$/],
    ["is no YAML", "projects: [\n", /^projects\.yaml cannot be used: .+ line 2.+[^.]\.$/],
  ])("ends with 1 and one sentence if projects.yaml %s", (_, projects, sentence) => {
    const { status, stdout, lines } = regenerateWith(projects);
    expect({ status, stdout, lines }).toEqual({ status: 1, stdout: "", lines: [expect.stringMatching(sentence)] });
  });

  it("ends with 1, one sentence and the facts that were there if a list of advisories cannot be read", () => {
    const folder = mkdtempSync(join(tmpdir(), "toolbus-releases-"));
    try {
      const git = (...args: readonly string[]) =>
        spawnSync("git", ["-C", join(folder, "one"), "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { encoding: "utf8" });
      mkdirSync(join(folder, "one"));
      git("init", "--quiet");
      for (const tag of ["v1.0.0", "v1.0.1"]) {
        writeFileSync(join(folder, "one", "package.json"), JSON.stringify({ name: "one", version: tag.slice(1) }));
        git("add", "--all");
        git("commit", "--quiet", "--message", tag);
        git("tag", tag);
      }
      mkdirSync(join(folder, "lists", "one"), { recursive: true });
      writeFileSync(join(folder, "lists", "one", "A-1.json"), "{");
      mkdirSync(join(folder, "facts", "one"), { recursive: true });
      writeFileSync(join(folder, "facts", "one", "v1.0.1.json"), "kept");
      writeFileSync(
        join(folder, "projects.yaml"),
        `projects:
  - project: one
    repository: a/one
    kind: library
    language: javascript
    split: tuning
    cloned: 2026-01-01
    releases:
      - { base: "v1.0.0", release: "v1.0.1" }
`,
      );
      const command = [
        join(import.meta.dirname, "main.ts"),
        "--clones",
        folder,
        "--releases",
        folder,
        "--advisories",
        join(folder, "lists"),
      ];
      const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", timeout: 60_000 });
      expect({ status, stdout, stderr }).toEqual({
        status: 1,
        stdout: "",
        stderr: expect.stringMatching(/^one v1\.0\.1: .+A-1\.json.+\.\n$/),
      });
      expect(readFileSync(join(folder, "facts", "one", "v1.0.1.json"), "utf8")).toBe("kept");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
