import { createSecretKey } from "node:crypto";
import { jsonParser, SealKeysFile } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import { makePrivateFile, readPrivateFile, reasonOf } from "./private-file.ts";
import type { SealKeys } from "./seal.ts";

/**
 * The seal keys in this file. With `make` a new file is made where there is none, of these random bytes; without it a file that is absent is refused.
 * Throws `KeyRefused` with a sentence that says what to do.
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
        `The file of seal keys ${file} is not there: approvals seals what it stores, and all its replicas need the same file. "toolbus keys" makes one.`,
      );
    const key = generateSealKey(make);
    await makePrivateFile(at, `${JSON.stringify({ keys: [key] } satisfies SealKeysFile)}\n`, key.kid);
    const made = await readPrivateFile(at);
    if (made === null) throw new KeyRefused(`The file of seal keys ${file} vanished while it was made; start again.`);
    return soundKeys(file, made);
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    const sentence = `The file of seal keys ${file} cannot be opened (${reasonOf(error)}); make the path readable and writable for this user.`;
    throw new KeyRefused(sentence, { cause: error });
  }
}

/** A new secret of 256 bits, as its file holds it. */
export function generateSealKey(random: (bytes: number) => Uint8Array): SealKeysFile["keys"][number] {
  const text = (bytes: number): string => Buffer.from(random(bytes)).toString("base64url");
  return { kid: `seal-${text(9)}`, secret: text(32) };
}

/** Keys that are at hand: of a test, or of a simulated world. */
export function sealKeysOf(file: SealKeysFile): SealKeys {
  const keys = file.keys.map(({ kid, secret }) => ({ kid, secret: createSecretKey(secret, "base64url") }));
  const [current] = keys;
  if (!current) throw new KeyRefused("A file of seal keys holds at least one key.");
  return { current, all: new Map(keys.map((key) => [key.kid, key])) };
}

function soundKeys(file: string, text: string): SealKeys {
  const parsed = parse(text);
  // What is wrong with it stays unsaid: the words could carry parts of a secret into a log.
  if (!parsed.ok) throw new KeyRefused(`The file of seal keys ${file} holds no seal keys; restore it from where its replicas have it.`);
  if (new Set(parsed.value.keys.map(({ kid }) => kid)).size < parsed.value.keys.length)
    throw new KeyRefused(`The file of seal keys ${file} has two keys of one id; every key needs an id of its own.`);
  return sealKeysOf(parsed.value);
}

const parse = jsonParser(SealKeysFile);
