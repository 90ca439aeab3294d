import { readFileAt } from "./blob-reader.ts";
import type { Git } from "./git-command.ts";

/** The files that say what a Python package needs when somebody installs it. */
const PACKAGES = ["pyproject.toml", "setup.cfg", "setup.py"] as const;

const MOST_FOLDERS = 20;

/**
 * Returns which of these manifests list what only the developers of a Python package install: files such as requirements.txt beside a manifest of the
 * package that does not name them. Without such a manifest, the project is an application, and the file says what it needs.
 */
export async function developmentLists(git: Git, commit: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const lists = paths.filter((path) => /(?:^|\/)[\w.-]*requirements[\w.-]*\.txt$/i.test(path));
  const folders = [...new Set(lists.map(folderOf))].slice(0, MOST_FOLDERS);
  const found = new Set<string>();
  for (const folder of folders) {
    const texts = await Promise.all(PACKAGES.map((name) => readFileAt(git, commit, `${folder}${name}`)));
    const whole = texts.flatMap((text) => text ?? []).join("\n");
    // A file that only has settings of tools makes no package.
    if (!/^\[(?:project|build-system|tool\.poetry|metadata)\]|\bsetup\(/m.test(whole)) continue;
    for (const path of lists) if (folderOf(path) === folder && !whole.includes(path.slice(folder.length))) found.add(path);
  }
  return found;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
