import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { KeyRefused } from "./key-refused.ts";

/** A file of secrets. `what` is its name in messages: "The signing key" or "The file of seal keys". */
export interface PrivateFile {
  readonly file: string;
  readonly what: string;
}

const MAX_BYTES = 16 * 1024;

/**
 * Returns the text of a private file, or null if it does not exist. Throws `KeyRefused` for a file that others can read, or that belongs to another
 * user.
 */
export async function readPrivateFile({ file, what }: PrivateFile): Promise<string | null> {
  const handle = await openIfThere(file);
  if (!handle) return null;
  try {
    // The check uses the open file, so that nobody can replace the file between the check and the read.
    await refuseUnsafe({ file, what }, handle);
    const buffer = Buffer.alloc(MAX_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Writes a private file (mode 0600) atomically, unless it exists. If two processes start at the same time, both find the file of the first one. */
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

/** Replaces an existing private file (mode 0600) atomically. */
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

/** Returns the code of a failed system call, or the message of any other error. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    // `O_NONBLOCK` is for a named pipe. Without this flag, the call would block until another process opens the pipe to write.
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
  // A mounted Kubernetes secret belongs to root, and this user reads the file as a member of the file's group. If the file belongs to this user, only
  // this user may read it.
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

/** Gives the file its final name, unless that name exists. A rename would replace an existing file. Readers see a complete file or none. */
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
