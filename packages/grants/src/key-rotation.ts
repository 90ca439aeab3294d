import { jsonParser, type SealKeysFile, SealKeysFile as SealKeysSchema, type StoredSigningKeys } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import { generateSigningKey } from "./keys.ts";
import { readPrivateFile, replacePrivateFile } from "./private-file.ts";
import { generateSealKey } from "./seal-keys-file.ts";
import { parseSigningKeys } from "./signing-key-file.ts";

/**
 * The step of a rotation. During `verifying`, the old key is still used, so that every process can first learn the new one. During `signing`, the new
 * key is used and the old one is still accepted. Null means that there is only one key.
 */
export type RotationStep = "verifying" | "signing" | null;

/** The step that a file of keys has reached, and the ids of its keys. The first key signs or seals. */
export interface Rotated {
  readonly step: RotationStep;
  readonly kids: readonly string[];
}

type Keys<K> = { readonly keys: readonly K[]; readonly rotation?: "verifying" | "signing" };

/**
 * Moves the rotation of a file of signing keys one step forward, or ends the rotation if `finish` is true. Throws `KeyRefused` if this step is not
 * the next one.
 */
export async function rotateSigningKeys(file: string, { finish }: { readonly finish: boolean }): Promise<Rotated> {
  const before: StoredSigningKeys | null = parseSigningKeys(file, await textOf(file, "The signing key"));
  return write(file, "The signing key", await rotated(file, before, finish, generateSigningKey));
}

/** Does the same as `rotateSigningKeys` for a file of seal keys. */
export async function rotateSealKeys(
  file: string,
  { finish, random }: { readonly finish: boolean; readonly random: (bytes: number) => Uint8Array },
): Promise<Rotated> {
  const parsed = parseSealKeys(await textOf(file, "The file of seal keys"));
  if (!parsed.ok) throw new KeyRefused(`The file of seal keys ${file} contains no seal keys; restore it from a replica that has it.`);
  return write(
    file,
    "The file of seal keys",
    await rotated<SealKeysFile["keys"][number]>(file, parsed.value, finish, async () => generateSealKey(random)),
  );
}

async function rotated<K>(file: string, before: Keys<K>, finish: boolean, make: () => Promise<K>): Promise<Keys<K>> {
  const { keys, rotation } = before;
  const [first, ...others] = keys;
  if (first === undefined) throw new KeyRefused(`${file} contains no key.`);
  if (finish) {
    if (rotation !== "signing")
      throw new KeyRefused(`The new key of ${file} is not used yet, so the old one cannot be removed: take the earlier steps first.`);
    return { keys: [first] };
  }
  if (rotation === undefined) return { keys: [...keys, await make()], rotation: "verifying" };
  if (rotation === "signing") throw new KeyRefused(`The new key of ${file} is already used: end the rotation with --finish.`);
  const made = others.at(-1);
  if (made === undefined) throw new KeyRefused(`${file} says that it is being rotated, but contains one key: correct it by hand.`);
  return { keys: [made, first, ...others.slice(0, -1)], rotation: "signing" };
}

async function write<K extends { readonly kid: string }>(file: string, what: string, keys: Keys<K>): Promise<Rotated> {
  const kids = keys.keys.map(({ kid }) => kid);
  await replacePrivateFile({ file, what }, `${JSON.stringify(keys)}\n`, kids[0] ?? "");
  return { step: keys.rotation ?? null, kids };
}

async function textOf(file: string, what: string): Promise<string> {
  const text = await readPrivateFile({ file, what });
  if (text === null) throw new KeyRefused(`${what} ${file} does not exist: create it with "toolbus keys".`);
  return text;
}

const parseSealKeys = jsonParser(SealKeysSchema);
