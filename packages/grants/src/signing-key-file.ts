import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, unlink } from "node:fs/promises";
import path from "node:path";
import type { StoredSigningKey } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import { generateSigningKey, parseSigningKey, signerOf } from "./keys.ts";

/**
 * The signing key in this file; a new one is made when there is no file. Of two processes that start at once both get the key that was
 * there first. A file that cannot be read, belongs to someone else, is open to others or holds no sound key is refused with `KeyRefused`,
 * never replaced: grants signed with a lost key are worthless, and only a person can say that it is lost.
 */
export async function openSigningKey({ file }: { readonly file: string }): Promise<StoredSigningKey> {
  try {
    return (await readKey(file)) ?? (await createKey(file));
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    throw new KeyRefused(
      `The signing key ${file} cannot be opened (${reasonOf(error)}); make the path readable and writable for this user.`,
      {
        cause: error,
      },
    );
  }
}

const MAX_KEY_BYTES = 4096;

/** The key, or null when there is no such file. */
async function readKey(file: string): Promise<StoredSigningKey | null> {
  const handle = await openIfThere(file);
  if (!handle) return null;
  try {
    // Asked of the open file, so that nobody can swap it between the check and the reading.
    await refuseUnsafe(file, handle);
    const buffer = Buffer.alloc(MAX_KEY_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return await soundKey(file, buffer.toString("utf8", 0, bytesRead));
  } finally {
    await handle.close();
  }
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

async function refuseUnsafe(file: string, handle: FileHandle): Promise<void> {
  const { mode, uid } = await handle.stat();
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new KeyRefused(`The signing key ${file} is not a regular file; name a file.`);
  const self = process.getuid?.();
  if (self === undefined) return;
  if (uid !== self && uid !== 0) throw new KeyRefused(`The signing key ${file} belongs to another user (${uid}); give it to user ${self}.`);
  // A mounted Kubernetes secret belongs to root and is read by way of its group; of an own file nobody else sees anything.
  const forbidden = uid === self ? 0o077 : 0o027;
  if ((mode & forbidden) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(4, "0");
    throw new KeyRefused(
      `The signing key ${file} is open to others (mode ${octal}); run chmod 600 on it, and replace the key if it may have been read.`,
    );
  }
}

async function soundKey(file: string, text: string): Promise<StoredSigningKey> {
  const parsed = parseSigningKey(text);
  // The problems stay unsaid: their words could carry parts of a damaged key into a log.
  if (!parsed.ok)
    throw new KeyRefused(`The signing key ${file} holds no Ed25519 key of this form; restore it, or move it away to get a new one.`);
  await signerOf(parsed.value);
  return parsed.value;
}

async function createKey(file: string): Promise<StoredSigningKey> {
  const key = await generateSigningKey();
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Unique without a source of names: the id is that of a key that did not exist a moment ago.
  const temporary = `${file}.${key.kid}.new`;
  try {
    await writeSafely(temporary, `${JSON.stringify(key)}\n`);
    await linkUnlessThere(temporary, file);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(folder);
  // Ours, or that of another process that was first.
  const winner = await readKey(file);
  if (!winner) throw new KeyRefused(`The signing key ${file} vanished while it was made; start again.`);
  return winner;
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

function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
}
