import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { patched } from "@toolbus/testing";
import type { Mutation } from "./mutation.ts";

/** A copy of the repository as it is on disk. Changes in the copy affect nothing else. */
export interface ScratchCopy {
  readonly folder: string;
  /** Applies a mutation and returns a function that undoes it. Throws if a patch does not fit. */
  apply(name: string, mutation: Mutation): Promise<() => Promise<void>>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Copies the files that git tracks or would add, and links the installed packages. */
export async function scratchCopy(root: string): Promise<ScratchCopy> {
  const folder = await mkdtemp(path.join(tmpdir(), "requirements-"));
  const { stdout } = await promisify(execFile)("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = stdout.split("\0").filter((file) => file !== "");
  const folders = new Set(files.map((file) => path.dirname(file)));
  for (const each of folders) await mkdir(path.join(folder, each), { recursive: true });
  for (const file of files)
    // Git still lists a deleted file until the deletion is committed.
    await cp(path.join(root, file), path.join(folder, file), { verbatimSymlinks: true }).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    });
  await linkInstalled(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const each of folders)
    await cp(path.join(root, each, "node_modules"), path.join(folder, each, "node_modules"), {
      recursive: true,
      verbatimSymlinks: true,
      force: false,
    }).catch(() => undefined);
  return {
    folder,
    async apply(name, mutation) {
      const before = new Map<string, string>();
      for (const file of new Set(mutation.patches.map((patch) => patch.file))) {
        const full = path.join(folder, file);
        const text = await readFile(full, "utf8");
        before.set(full, text);
        patched({ name, patches: mutation.patches }, full, text);
      }
      for (const [full, text] of before) await writeFile(full, patched({ name, patches: mutation.patches }, full, text));
      return async () => {
        for (const [full, text] of before) await writeFile(full, text);
      };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Links the installed third-party packages. Our own packages are links within the repository, so in the copy they link to the copy. */
async function linkInstalled(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const { name } = entry;
    if (name === "@toolbus") await cp(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true });
    else if (name === ".pnpm" || !name.startsWith(".")) await symlink(path.join(from, name), path.join(to, name));
  }
}
