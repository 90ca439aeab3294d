import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real git repository in its own folder, for tests. It is removed when it goes out of scope. */
export interface ScratchRepository extends Disposable {
  readonly path: string;
  /** Executes git in the repository and returns its output. */
  git(...args: string[]): string;
  /** Writes a file, as text or as bytes. */
  write(file: string, content: string | Uint8Array): void;
  /** Removes a file. */
  remove(file: string): void;
  /** Commits everything in the folder, one hour after the previous commit, and returns the commit's id. */
  commit(message: string): string;
}

/** Makes an empty repository on a branch named main. */
export function scratchRepository(): ScratchRepository {
  const path = mkdtempSync(join(tmpdir(), "release-facts-"));
  let hour = 0;
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    execFileSync("git", args, {
      cwd: path,
      encoding: "utf8",
      env: { ...env, ...IDENTITY, PATH: process.env["PATH"], HOME: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
  run(["init", "--quiet", "--initial-branch=main"]);
  return {
    path,
    git: (...args) => run(args).trim(),
    write(file, content) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    },
    remove: (file) => rmSync(join(path, file)),
    commit(message) {
      const date = `2026-01-02T${String(hour++ % 24).padStart(2, "0")}:00:00+02:00`;
      run(["add", "--all"]);
      run(["commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message], {
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      });
      return run(["rev-parse", "HEAD"]).trim();
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

const IDENTITY = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Ada Example",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada Example",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};
