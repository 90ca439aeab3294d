import { filesAt } from "./files-at.ts";
import type { Git } from "./git-command.ts";

/** The longest content that is read. Longer files are generated or data. */
const LONGEST_BLOB = 512 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;

/** The texts that were read through a runner, so that no text is read twice. A runner lives as long as one reading of facts. */
const remembered = new WeakMap<Git, { readonly texts: Map<string, string>; bytes: number }>();

/**
 * Returns the texts of contents by their ids. Contents that are missing in the clone, binary or very long have no entry. Contents stay in memory and
 * are never part of a result.
 */
export async function readBlobs(git: Git, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const memory = remembered.get(git) ?? { texts: new Map<string, string>(), bytes: 0 };
  remembered.set(git, memory);
  const texts = new Map<string, string>();
  const wanted: string[] = [];
  for (const id of new Set(ids)) {
    const known = memory.texts.get(id);
    if (known !== undefined) texts.set(id, known);
    else if (/^[0-9a-f]{40,64}$/.test(id)) wanted.push(id);
  }
  if (wanted.length === 0) return texts;
  const checked = await git.run(["cat-file", "--batch-check"], `${wanted.join("\n")}\n`);
  let left = MOST_BYTES;
  const small: string[] = [];
  for (const answer of checked.toString("utf8").split("\n")) {
    const [id, kind, size] = answer.split(" ");
    if (id === undefined || kind !== "blob" || Number(size) > LONGEST_BLOB || Number(size) > left) continue;
    left -= Number(size);
    small.push(id);
  }
  if (small.length === 0) return texts;
  const output = await git.run(["cat-file", "--batch"], `${small.join("\n")}\n`);
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(10, at);
    if (end < 0) break;
    const [id, kind, size] = output.subarray(at, end).toString("latin1").split(" ");
    at = end + 1;
    if (id === undefined || kind !== "blob") continue;
    const content = output.subarray(at, at + Number(size));
    at += Number(size) + 1;
    if (content.includes(0)) continue;
    const text = content.toString("utf8");
    texts.set(id, text);
    memory.bytes += content.length;
    if (memory.bytes <= MOST_BYTES) memory.texts.set(id, text);
  }
  return texts;
}

/** Returns the text of a file at a commit, or undefined if the commit has no such file or the file is not a short text. */
export async function readFileAt(git: Git, commit: string, path: string): Promise<string | undefined> {
  const id = (await filesAt(git, commit)).get(path);
  return id === undefined ? undefined : (await readBlobs(git, [id])).get(id);
}
