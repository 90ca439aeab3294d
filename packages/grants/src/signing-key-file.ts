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
 * The signing key in this file. A missing file is created; if two processes start at once, both get the key of the first. Throws `KeyRefused` for a
 * file that cannot be read, belongs to another user, is open to others or contains no valid key, and never replaces it: grants signed with a lost
 * key are worthless, and only a person can say that a key is lost.
 */
export async function openSigningKey({ file }: { readonly file: string }): Promise<StoredSigningKey> {
  return withReason(file, async () => first(await readSigningKeys({ file }), file) ?? (await createKey(file)));
}

/** The keys in this file. The first one signs; the public halves of the others still verify. Null if the file does not exist. Throws `KeyRefused`. */
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

/** The content of a file of signing keys, which contains one key or several. Throws `KeyRefused`. */
export function parseSigningKeys(file: string, text: string): StoredSigningKeys {
  const one = parseSigningKey(text);
  if (one.ok) return { keys: [one.value] };
  const several = parseSeveral(text);
  if (several.ok) return several.value;
  // The message does not list the problems: they could put parts of a damaged key into a log.
  throw new KeyRefused(`The signing key ${file} contains no Ed25519 key of this form; restore it, or move it away to get a new one.`);
}

async function createKey(file: string): Promise<StoredSigningKey> {
  const key = await generateSigningKey();
  // This name is unique without a source of names: the id belongs to a key that did not exist a moment ago.
  await makePrivateFile({ file, what: WHAT }, `${JSON.stringify(key)}\n`, key.kid);
  // Our key, or that of another process that was first.
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
