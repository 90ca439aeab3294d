import { execFileSync } from "node:child_process";
import { cpSync, existsSync, symlinkSync } from "node:fs";
import path from "node:path";

/** The parts of a checkout that exist on this machine only: its history is cloned, its packages are linked, the rest is made by what runs in it. */
const LEFT_OUT: readonly string[] = [".git", ".toolbus", ".pnpm", ".cache"];

/**
 * Copies a checkout in its current state, including uncommitted changes, with its history and installed packages: what runs in the copy finds and leaves
 * everything there. About a second.
 */
export function copyCheckout(from: string, to: string): void {
  const git = (...args: readonly string[]): void => void execFileSync("git", args, { stdio: ["ignore", "ignore", "inherit"] });
  const history = existsSync(path.join(from, ".git"));
  if (history) git("clone", "--quiet", "--shared", "--no-checkout", from, to);
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: (file) => !LEFT_OUT.includes(path.basename(file)) });
  symlinkSync(path.join(from, "node_modules/.pnpm"), path.join(to, "node_modules/.pnpm"));
  if (history) git("-C", to, "reset", "--quiet");
}
