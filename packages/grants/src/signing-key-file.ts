import {
  jsonParser,
  type StoredSigningKey,
  type StoredSigningKeys,
  StoredSigningKeys as StoredSigningKeysSchema,
} from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import { generateSigningKey, parseSigningKey, signerOf } from "./keys.ts";
import { makePrivateFile, readPrivateFile, reasonOf } from "./private-file.ts";

/**
 * Returns the signing key in this file, and creates a missing file. If two processes start at the same time, both get the key of the first one.
 * Throws `KeyRefused` for a file that cannot be read, belongs to another user, is open to others or contains no valid key. Such a file is never
 * replaced, because grants signed with a lost key are worthless, and only a person can decide that a key is lost.
 */
export async function openSigningKey({ file }: { readonly file: string }): Promise<StoredSigningKey> {
  return withReason(file, async () => first(await readSigningKeys({ file }), file) ?? (await createKey(file)));
}

/**
 * Returns the keys in this file, or null if it does not exist. The first key signs, and the public halves of the others still verify. Throws
 * `KeyRefused` if the file cannot be used.
 */
export async function readSigningKeys({ file }: { readonly file: string }): Promise<readonly StoredSigningKey[] | null> {
  return withReason(file, async () => {
    const text = await readPrivateFile({ file, what: WHAT });
    return text === null ? null : soundKeys(file, text);
  });
}

const WHAT = "The signing key";

async function withReason<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    const sentence = `The signing key ${file} cannot be opened (${reasonOf(error)}); make the path readable and writable for this user.`;
    throw new KeyRefused(sentence, { cause: error });
  }
}

async function soundKeys(file: string, text: string): Promise<readonly StoredSigningKey[]> {
  const { keys } = parseSigningKeys(file, text);
  for (const key of keys) await signerOf(key);
  return keys;
}

/** Parses the content of a file with one or more signing keys. Throws `KeyRefused` if it contains none. */
export function parseSigningKeys(file: string, text: string): StoredSigningKeys {
  const one = parseSigningKey(text);
  if (one.ok) return { keys: [one.value] };
  const several = parseSeveral(text);
  if (several.ok) return several.value;
  // The message does not list the problems, because they could put parts of a damaged key into a log.
  throw new KeyRefused(`The signing key ${file} contains no Ed25519 key of this form; restore it, or move it away to get a new one.`);
}

async function createKey(file: string): Promise<StoredSigningKey> {
  const key = await generateSigningKey();
  // The id of the new key makes the name of the temporary file unique.
  await makePrivateFile({ file, what: WHAT }, `${JSON.stringify(key)}\n`, key.kid);
  // The file now contains our key, or the key of another process that was faster.
  const winner = first(await readSigningKeys({ file }), file);
  if (!winner) throw new KeyRefused(`The signing key ${file} vanished while it was created; start again.`);
  return winner;
}

function first(keys: readonly StoredSigningKey[] | null, file: string): StoredSigningKey | null {
  if (keys === null) return null;
  const [key] = keys;
  if (!key) throw new KeyRefused(`The signing key ${file} is empty.`);
  return key;
}

const parseSeveral = jsonParser(StoredSigningKeysSchema);
