import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";

const FOLDER = path.resolve(import.meta.dirname, "../../peers");

/** Installs the missing libraries of all benchmarks, exactly as their lockfile says, and prints that it does so. Rejects with one sentence. */
export async function installPeers(signal: AbortSignal): Promise<void> {
  // npm writes the first file when it finishes. If that file is older than the lockfile, it belongs to an earlier version of the lockfile.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return;
  process.stderr.write("Installing the libraries to compare with into bench/peers with npm, this once.\n");
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], {
    cwd: FOLDER,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
    signal,
  });
  const [code]: readonly unknown[] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm could not install the libraries of bench/peers; see its messages above.");
}

function writtenAt(file: string): number {
  return statSync(path.join(FOLDER, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
