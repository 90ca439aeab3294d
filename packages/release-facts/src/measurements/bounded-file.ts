import { readFile, stat } from "node:fs/promises";

/** Reads a text file (UTF-8) of at most `limit` bytes. If the file cannot be read, returns one sentence that names it. */
export async function readBounded(
  file: string,
  limit: number,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }> {
  try {
    const { size } = await statFile(file);
    if (size > limit) return { ok: false, message: `${file} has ${size} bytes; at most ${limit} are read.` };
    return { ok: true, text: new TextDecoder().decode(await readFile(file)) };
  } catch (error) {
    return { ok: false, message: `${file} cannot be read: ${reasonOf(error)}.` };
  }
}

// The kind of the file is checked before the file is opened, because opening a pipe would wait for a writer.
async function statFile(file: string) {
  const found = await stat(file);
  if (!found.isFile()) throw new Error("it is not a file");
  return found;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && error.code === "ENOENT" ? "there is no such file" : error.message;
}
