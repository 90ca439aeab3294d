import { type KeySet, publicKeyOf, type Signer } from "@toolbus/grants";
import { Refusal } from "./refusal.ts";

/** A signing key of this process, and the names under which the other processes look up its public half. */
export interface ListedKey {
  /** The setting that names the file, for the message. */
  readonly setting: string;
  readonly file: string;
  readonly names: readonly string[];
  readonly signer: Signer;
}

/**
 * Throws a `Refusal` if the file of trusted keys has keys for one of the names, and the key that signs here is not one of them. Nobody would believe
 * what such a process signs. A worker would make an approved write, and the run would never learn of it. The rule is that of whoever verifies: any key
 * of the name that is not revoked may sign, because a rotation has two of them.
 *
 * If the file has no usable key for a name, nothing is refused. The agent then believes the keys that approvals has pinned with the tools, and an
 * operator pins the key that the worker registers after its start.
 */
export async function refuseUnlistedKeys(
  keys: readonly ListedKey[],
  { listed, listedIn }: { readonly listed: Readonly<Record<string, KeySet>>; readonly listedIn: string },
): Promise<void> {
  for (const { setting, file, names, signer } of keys) {
    const wrong: string[] = [];
    for (const name of names) if (!(await mayBe(signer, listed[name]))) wrong.push(name);
    if (wrong.length === 0) continue;
    const each = names.length > 1 ? ", in a process of its own if the others have another key" : "";
    throw new Refusal(
      `The key in ${setting} ${file} is not the key of ${wrong.join(" and ")} in SERVICE_KEYS_FILE ${listedIn}, so everything that it signs would be refused: set ${setting} to the key file that "toolbus keys" made for ${wrong.join(" and ")}${each}, and give the newest service-keys.json to all processes.`,
    );
  }
}

/** Returns whether this key is in the set, or the set says nothing about which key signs. */
async function mayBe(signer: Signer, set: KeySet | undefined): Promise<boolean> {
  const found = await set?.find(signer.kid);
  // The id alone does not make it the same key.
  if (found) return found.export({ format: "jwk" }).x === publicKeyOf(signer).x;
  return !(await hasUsableKey(set));
}

async function hasUsableKey(set: KeySet | undefined): Promise<boolean> {
  for (const { kid } of set?.jwks?.keys ?? []) if (kid !== undefined && (await set?.find(kid))) return true;
  return false;
}
