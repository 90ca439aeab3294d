import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder for one test file, with the input and the output of the programs under test. */
export interface Scratch {
  /** Returns a path inside the folder. Creates no file. */
  at(...parts: string[]): string;
  /** Returns the path of a new data directory, different at each call. */
  data(): string;
  /** Writes a file inside the folder and returns its path. */
  file(name: string, content: string): string;
  remove(): void;
}

export function scratch(parent = tmpdir()): Scratch {
  const root = mkdtempSync(path.join(parent, "toolbus-e2e-"));
  const at = (...parts: string[]): string => path.join(root, ...parts);
  let count = 0;
  return {
    at,
    data: () => at(`data-${++count}`),
    file(name, content) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      return at(name);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Creates a repository with two tags, one commit apart. */
export function taggedRepository(folder: string, [first, second]: readonly [string, string] = ["v1", "v2"]): string {
  const git = gitIn(folder);
  git("init", "--quiet", "--initial-branch=main");
  for (const [tag, line] of [
    [first, "First words"],
    [second, "More words"],
  ] as const) {
    mkdirSync(path.join(folder, "guide"), { recursive: true });
    appendFileSync(path.join(folder, "guide", "words.txt"), `${line}\n`);
    git("add", "--all");
    git("commit", "--quiet", "--message", line);
    git("tag", tag);
  }
  return folder;
}

/** Creates a repository without commits. */
export function emptyRepository(folder: string): string {
  gitIn(folder)("init", "--quiet");
  return folder;
}

function gitIn(folder: string): (...args: string[]) => void {
  mkdirSync(folder, { recursive: true });
  const who = {
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", ...who };
  return (...args) => void execFileSync("git", args, { cwd: folder, env, stdio: "ignore" });
}

export interface FiledReport {
  readonly report_id: string;
  readonly release_id: string;
  readonly severity: string;
  readonly findings: readonly string[];
}

/** Returns the reports that the release API has filed in a data directory. */
export function filedIn(dataDirectory: string): readonly FiledReport[] {
  const file = path.join(dataDirectory, "release-api", "risk-reports.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { readonly report: FiledReport }).report);
}

/** Test results without a failure, and good metrics. With these, the rules report no finding for a small release. */
export const PASSING_JUNIT = '<testsuite name="all"><testcase name="reads"/><testcase name="writes"/></testsuite>';
/** Test results with one failed test of a hundred, which the rules call medium. */
export const FAILING_JUNIT = `<testsuite name="all">${'<testcase name="reads"/>'.repeat(99)}<testcase name="writes"><failure/></testcase></testsuite>`;
export const FINE_METRICS = JSON.stringify({
  error_rate: 0.001,
  response_time_p95: 120,
  baseline: { error_rate: 0.001, response_time_p95: 120 },
});
export const BAD_METRICS = JSON.stringify({ error_rate: 0.2, response_time_p95: 900 });
