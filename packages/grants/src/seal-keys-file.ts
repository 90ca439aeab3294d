import { createSecretKey } from "node:crypto";
import { jsonParser, SealKeysFile } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import { makePrivateFile, readPrivateFile, reasonOf } from "./private-file.ts";
import type { SealKeys } from "./seal.ts";

/**
 * Returns the seal keys in this file. With `make`, a missing file is created with a key from the random bytes of `make`. Without `make`, a missing
 * file is refused. Throws `KeyRefused` with a sentence that says what to do.
 */
export async function openSealKeys(options: {
  readonly file: string;
  readonly make: ((bytes: number) => Uint8Array) | null;
}): Promise<SealKeys> {
  const { file, make } = options;
  const at = { file, what: "The file of seal keys" };
  try {
    const found = await readPrivateFile(at);
    if (found !== null) return soundKeys(file, found);
    if (make === null)
      throw new KeyRefused(
        `The file of seal keys ${file} does not exist: approvals seals what it stores, and all its replicas need the same file. Create one with "toolbus keys".`,
      );
    const key = generateSealKey(make);
    await makePrivateFile(at, `${JSON.stringify({ keys: [key] } satisfies SealKeysFile)}\n`, key.kid);
    const made = await readPrivateFile(at);
    if (made === null) throw new KeyRefused(`The file of seal keys ${file} vanished while it was created; start again.`);
    return soundKeys(file, made);
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    const sentence = `The file of seal keys ${file} cannot be opened (${reasonOf(error)}); make the path readable and writable for this user.`;
    throw new KeyRefused(sentence, { cause: error });
  }
}

/** Generates a secret of 256 bits, in the form of the file. */
export function generateSealKey(random: (bytes: number) => Uint8Array): SealKeysFile["keys"][number] {
  const text = (bytes: number): string => Buffer.from(random(bytes)).toString("base64url");
  return { kid: `seal-${text(9)}`, secret: text(32) };
}

/** Returns seal keys from the content of a file. A test or a simulated world may have this content only in memory. */
export function sealKeysOf(file: SealKeysFile): SealKeys {
  const keys = file.keys.map(({ kid, secret }) => ({ kid, secret: createSecretKey(secret, "base64url") }));
  const [current] = keys;
  if (!current) throw new KeyRefused("A file of seal keys contains at least one key.");
  return { current, all: new Map(keys.map((key) => [key.kid, key])) };
}

function soundKeys(file: string, text: string): SealKeys {
  const parsed = parse(text);
  // The message does not list the problems, because they could put parts of a secret into a log.
  if (!parsed.ok) throw new KeyRefused(`The file of seal keys ${file} contains no seal keys; restore it from a replica that has it.`);
  if (new Set(parsed.value.keys.map(({ kid }) => kid)).size < parsed.value.keys.length)
    throw new KeyRefused(`The file of seal keys ${file} has two keys with one id; give every key its own id.`);
  return sealKeysOf(parsed.value);
}

const parse = jsonParser(SealKeysFile);
