import { execFileSync } from "node:child_process";
import path from "node:path";

/** The commit before the first version that has a compatibility manifest. */
export const BEFORE = "ee4eef06";

/** The first commit that has a compatibility manifest. */
const FIRST = "b94cbac9";

const ROOT = path.resolve(import.meta.dirname, "../..");
const CONTRACTS = "packages/contracts/src";

/** Returns whether this checkout has the history of that commit. A shallow clone has not. */
export function hasHistory(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${BEFORE}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Checks that commit out into a folder, without touching this checkout. Returns the function that removes it. */
export function checkOut(folder: string): () => void {
  execFileSync("git", ["worktree", "add", "--quiet", "--detach", folder, BEFORE], { cwd: ROOT, stdio: "ignore" });
  return () => void execFileSync("git", ["worktree", "remove", "--force", folder], { cwd: ROOT, stdio: "ignore" });
}

/** Installs the packages of a checkout from the store of the package manager. */
export function install(folder: string): void {
  execFileSync(process.execPath, ["scripts/boot.mjs", "toolbus", "--version"], { cwd: folder, stdio: "ignore", timeout: 300_000 });
}

/**
 * Returns the manifest of an installed checkout of that commit, as text. The commit has no manifest of its own, so the code that makes it comes from
 * the first commit that has one, and everything that it describes from the checkout. Later code also describes documents that the checkout lacks.
 */
export function manifestOf(folder: string): string {
  const code = execFileSync("git", ["archive", FIRST, `${CONTRACTS}/compatibility`, `${CONTRACTS}/store-format.ts`], { cwd: ROOT });
  execFileSync("tar", ["-x", "-C", folder], { input: code });
  const source = `const { compatibilityManifest, manifestText } = await import("./${CONTRACTS}/compatibility/index.ts");
    const { FORMAT } = await import("./packages/state/src/redis/store-record.ts");
    process.stdout.write(manifestText({ ...compatibilityManifest(), storeFormat: FORMAT }));`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", source], { cwd: folder, encoding: "utf8" });
}
