import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Makes a repository with a security fix in v1.0.1, a large change in v1.1.0, and on other branches v0.9.9 and the harmless v1.0.2. */
export function shopRepository(folder: string): string {
  mkdirSync(path.join(folder, "src"), { recursive: true });
  const who = {
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "a@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "a@example.org",
  };
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", ...who };
  const git = (...args: readonly string[]) => void execFileSync("git", args, { cwd: folder, env, stdio: "ignore" });
  const commit = (message: string, tag: string) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    git("tag", tag);
  };
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(path.join(folder, "package.json"), '{ "name": "shop" }\n');
  writeFileSync(path.join(folder, "src/login.ts"), "export const login = 1;\n");
  commit("Begin", "v1.0.0");
  git("checkout", "--quiet", "-b", "old");
  writeFileSync(path.join(folder, "src/old.ts"), "export const old = 1;\n");
  commit("Go aside", "v0.9.9");
  git("checkout", "--quiet", "main");
  writeFileSync(path.join(folder, "src/login.ts"), "export const login = 1;\nif (login !== 1) throw new Error();\n");
  commit("Fix a bypass of the login \u202e\u001b[2J", "v1.0.1");
  git("checkout", "--quiet", "-b", "quiet");
  writeFileSync(path.join(folder, "README.md"), "The shop.\n");
  commit("docs: say what it is", "v1.0.2");
  git("checkout", "--quiet", "main");
  for (let n = 0; n < 400; n++)
    writeFileSync(path.join(folder, `src/a-file-with-a-rather-long-name-${n}.ts`), `export const name${n} = ${n};\n`);
  commit("feat: add many files", "v1.1.0");
  return folder;
}
