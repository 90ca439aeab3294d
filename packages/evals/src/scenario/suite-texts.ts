import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { NamedText } from "./checked-file.ts";

/** The reason why a suite cannot be used, in one sentence with the file and the remedy. */
export class SuiteFault extends Error {}

const MOST_BYTES = 4 * 1024 * 1024;

/** Returns the YAML files of a folder in alphabetical order. */
export async function textsIn(folder: string): Promise<readonly NamedText[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new SuiteFault(`The folder ${folder} cannot be read (${codeOf(error)}).`);
  });
  const files = names.filter((name) => /\.ya?ml$/i.test(name)).toSorted();
  return Promise.all(files.map((name) => textAt(path.join(folder, name))));
}

/** Returns the text of a file. Throws a `SuiteFault` if it cannot be read or is too large. */
export async function textAt(file: string): Promise<NamedText> {
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
