import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseReleaseFacts, type ReleaseFacts } from "@toolbus/release-facts";
import { scratchFolder, scratchRepository } from "@toolbus/release-facts/testing";
import { describe, expect, it } from "vitest";
import { loadRelease } from "./load-release.ts";
import { startReleaseApi } from "./release-api.ts";

const COMMITS = 3100;
const PAGE_BYTES = 21 * 1024;

/** Writes a history of many commits with one command of git, because one command for each commit would take minutes. */
function longHistory(count: number): string {
  const commits = Array.from({ length: count }, (_, n) => {
    const subject = `Change ${n} \u001b[31m\u202e ${"x".repeat(200)}`;
    // Few files keep the trees small, so that the import is fast.
    const path = `src/area${n % 50}/file${n % 500}.ts`;
    const content = `export const name${n} = ${n};\n`;
    return [
      "commit refs/heads/main",
      `committer A <a@example.org> ${1_767_312_000 + n} +0000`,
      `data ${Buffer.byteLength(subject)}`,
      subject,
      `M 100644 inline ${path}`,
      `data ${Buffer.byteLength(content)}`,
      content,
      n % 500 === 0 ? `reset refs/tags/v0.${n}.0\nfrom refs/heads/main\n` : "",
    ].join("\n");
  });
  return `${commits.join("\n")}\n`;
}

async function ask(url: string, path: string) {
  const answer = await fetch(`${url}${path}`);
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

describe("a hostile repository", () => {
  it("with thousands of commits, huge files and control characters gets bounded pages of clean text", async () => {
    using repo = scratchRepository();
    execFileSync("git", ["fast-import", "--quiet", "--depth=0"], { cwd: repo.path, input: longHistory(COMMITS) });
    repo.git("checkout", "--quiet", "main");
    repo.write("src/huge.ts", "export const a = 1;\n".repeat(200_000));
    repo.write("src/bell\u0007\u001b[2J\n\u202e.ts", "export const odd = 1;\n");
    repo.write(`src/${"long".repeat(50)}/${"name".repeat(50)}.ts`, "export const long = 1;\n");
    repo.write("CODEOWNERS", `${"*".repeat(299)}a ${"@o".repeat(2000)}\n`.repeat(200));
    repo.commit("Add much");
    const loaded = await loadRelease({ repo: repo.path, from: "v0.0.0", to: "HEAD" });
    if (!loaded.ok) throw new Error(loaded.message);
    const id = loaded.release.release_id;
    using folder = scratchFolder();
    const api = await startReleaseApi({
      directory: join(folder.path, "data"),
      releases: new Map([[id, loaded.release]]),
      evidence: new Map([[id, loaded.evidence]]),
      clock: () => 0,
      newId: () => "rr_1",
    });
    try {
      // The first answer may be "still reading" on a slow machine. A read continues in the background.
      await expect.poll(async () => (await ask(api.url, `/code-changes?release_id=${id}`)).status, { timeout: 100_000 }).toBe(200);
      const commits = new Set<string>();
      let pages = 0;
      for (let page = 1; ; page++) {
        const { status, text, body } = await ask(api.url, `/code-changes?release_id=${id}&page=${page}`);
        if (status === 404) break;
        pages++;
        expect(Buffer.byteLength(text)).toBeLessThan(PAGE_BYTES);
        expect(text).not.toMatch(/\\u00[01]|\\n.|\\u007f|\u202e/);
        const parsed = parseReleaseFacts(body.facts);
        if (!parsed.ok) throw new Error("The answer has no facts.");
        const facts: ReleaseFacts = parsed.value;
        expect(facts.commits.total).toBe(COMMITS);
        for (const { hash } of facts.commits.list) commits.add(hash);
      }
      expect(pages).toBeGreaterThan(5);
      expect(commits.size).toBe(300);
      const past = await ask(api.url, `/past-releases?release_id=${id}`);
      expect(past.body).toMatchObject({ total: 7, releases: expect.arrayContaining([expect.objectContaining({ tag: "v0.3000.0" })]) });
      expect(Buffer.byteLength(past.text)).toBeLessThan(PAGE_BYTES);
    } finally {
      await api.stop();
    }
  }, 120_000);
});
