import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Makes a folder for a test. The folder is removed when it goes out of scope. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "release-facts-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

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
  commit(message: string, author?: string): string;
}

/** Makes an empty repository on a branch named main. */
export function scratchRepository(): ScratchRepository {
  const folder = scratchFolder();
  const { path } = folder;
  let hour = 0;
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    execFileSync("git", args, {
      cwd: path,
      encoding: "utf8",
      env: { ...IDENTITY, ...env, PATH: process.env["PATH"], HOME: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
  initialise(join(path, ".git"));
  return {
    path,
    git: (...args) => run(args).trim(),
    write(file, content) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    },
    remove: (file) => rmSync(join(path, file)),
    commit(message, author = IDENTITY.GIT_AUTHOR_NAME) {
      const date = `2026-01-02T${String(hour++ % 24).padStart(2, "0")}:00:00+02:00`;
      run(["add", "--all"]);
      run(["commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message], {
        GIT_AUTHOR_NAME: author,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      });
      return headOf(join(path, ".git"));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

// To start git is the slowest part of many tests. So these two functions do in a few files what git would do in a process of its own.

/** Does what `git init --initial-branch=main` does. */
function initialise(directory: string): void {
  for (const folder of ["objects", "refs"]) mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(directory, "config"), CONFIG);
}

/** Returns the id of the commit that was made just now. A new commit is never in the file with packed refs. */
function headOf(directory: string): string {
  const head = readFileSync(join(directory, "HEAD"), "utf8").trim();
  const [, ref] = /^ref: (.*)$/.exec(head) ?? [];
  return ref === undefined ? head : readFileSync(join(directory, ref), "utf8").trim();
}

/** Git would look after each commit whether the repository needs maintenance, in two more processes. */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
`;

const IDENTITY = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Ada Example",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada Example",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};
