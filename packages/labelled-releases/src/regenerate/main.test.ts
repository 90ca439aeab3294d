import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
});
