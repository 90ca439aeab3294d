import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { NamedText } from "./checked-file.ts";

/** The reason why a suite cannot be used, in one sentence with the file and the remedy. */
export class SuiteFault extends Error {}

const MOST_BYTES = 4 * 1024 * 1024;

/** Returns the YAML files of a folder in alphabetical order. Throws a `SuiteFault` if the folder or one of them is outside `root`. */
export async function textsIn(folder: string, root: string): Promise<readonly NamedText[]> {
  await refuseOutside(folder, root);
  const names = await readdir(folder).catch((error: unknown) => {
    throw new SuiteFault(`The folder ${folder} cannot be read (${codeOf(error)}).`);
  });
  const files = names.filter((name) => /\.ya?ml$/i.test(name)).toSorted();
  return Promise.all(files.map((name) => textAt(path.join(folder, name), root)));
}

/** Returns the git repository in which a suite is, so that it may name the profiles of its product, or the suite's folder if there is none. */
export async function rootOf(folder: string): Promise<string> {
  for (let place = path.resolve(folder), last = ""; place !== last; last = place, place = path.dirname(place))
    if (await exists(path.join(place, ".git"))) return place;
  return folder;
}

async function exists(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}

/**
 * Throws a `SuiteFault` if a place that a suite names is outside `root`, also by a link. A suite of somebody else must not give the files of its reader
 * to a model. A place that does not exist is not refused here.
 */
export async function refuseOutside(place: string, root: string): Promise<void> {
  const real = await realpath(place).catch(() => null);
  if (real === null) return;
  const way = path.relative(await realpath(root), real);
  if (way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
    throw new SuiteFault(`${place} is outside ${root}, and a suite reads only files of its own folder or repository: copy it there.`);
}

/** Returns the text of a file. Throws a `SuiteFault` if it cannot be read, is too large, or is outside `root`. */
export async function textAt(file: string, root: string | null = null): Promise<NamedText> {
  if (root !== null) await refuseOutside(file, root);
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES) throw new SuiteFault(`${file} has ${size} bytes, and ${MOST_BYTES} is the most: split it.`);
    return { file, text: await readFile(file, "utf8") };
  } catch (error) {
    if (error instanceof SuiteFault) throw error;
    throw new SuiteFault(`${file} cannot be read (${codeOf(error)}): name a suite's folder with suite.yaml, or a readable file.`);
  }
}

export async function isFolder(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "unknown");
