import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { KeyRefused } from "./key-refused.ts";

/** A file of secrets, as its sentences name it: "The signing key", "The file of seal keys". */
export interface PrivateFile {
  readonly file: string;
  readonly what: string;
}

const MAX_BYTES = 16 * 1024;

/** The text of a private file, or null when there is none. A file that is open to others, or that belongs to someone else, is refused with `KeyRefused`. */
export async function readPrivateFile({ file, what }: PrivateFile): Promise<string | null> {
  const handle = await openIfThere(file);
  if (!handle) return null;
  try {
    // Asked of the open file, so that nobody can swap it between the check and the reading.
    await refuseUnsafe({ file, what }, handle);
    const buffer = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes a private file (mode 0600) whole, unless there is one already: of two processes that start at once both find the one that was first. */
export async function makePrivateFile({ file }: PrivateFile, text: string, unique: string): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${unique}.new`;
  try {
    await writeSafely(temporary, text);
    await linkUnlessThere(temporary, file);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(folder);
}

/** Writes a private file (mode 0600) whole in the place of the one that is there. */
export async function replacePrivateFile({ file }: PrivateFile, text: string, unique: string): Promise<void> {
  const temporary = `${file}.${unique}.new`;
  try {
    await writeSafely(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** The code of a failed system call, or the error's words. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    // Without waiting: opening a pipe would block until someone writes to it.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (reasonOf(error) === "ENOENT") return null;
    throw error;
  }
}

async function refuseUnsafe({ file, what }: PrivateFile, handle: FileHandle): Promise<void> {
  const { mode, uid } = await handle.stat();
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new KeyRefused(`${what} ${file} is not a regular file; name a file.`);
  const self = process.getuid?.();
  if (self === undefined) return;
  if (uid !== self && uid !== 0) throw new KeyRefused(`${what} ${file} belongs to another user (${uid}); give it to user ${self}.`);
  // A mounted Kubernetes secret belongs to root and is read by way of its group; of an own file nobody else sees anything.
  const forbidden = uid === self ? 0o077 : 0o027;
  if ((mode & forbidden) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    throw new KeyRefused(
      `${what} ${file} is open to others (mode ${octal}); run chmod 600 on it, and replace the key if it may have been read.`,
    );
  }
}

async function writeSafely(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A link, unlike a rename, fails when the name is taken, and it shows a complete file or none. */
async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (reasonOf(error) !== "EEXIST") throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
