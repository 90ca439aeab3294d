import {
  type Identity,
  generateSigningKey,
  KeyRefused,
  type KeySet,
  openSigningKey,
  publicKeySet,
  readSigningKeys,
  signerOf,
  staticKeySet,
  type StoredSigningKey,
} from "@toolbus/grants";
import type { ListedKey } from "./listed-keys.ts";
import { Refusal } from "./refusal.ts";
import type { OwnKeyFile, ServiceDefinition } from "./service.ts";
import type { Settings, SettingsOf } from "./settings.ts";

/** The signing keys of the services of one process. */
export interface Identities {
  of(service: string): Identity;
  /** The process's own signing key, which is the key of its first service. */
  readonly ofProcess: Identity;
  /** The public keys, by the names under which this process trusts them. */
  readonly publicKeys: Readonly<Record<string, KeySet>>;
  /** The keys that have to agree with the file of trusted keys. None if the bus is in memory, because no other process reads that file then. */
  readonly listed: readonly ListedKey[];
}

/**
 * Opens the signing key of each service. If the bus is in memory, all services run in this process, and the function makes missing keys. Otherwise an
 * operator must provide the keys, because services in other processes must trust them. A missing key is then a `Refusal`.
 */
export async function openIdentities(
  definitions: readonly ServiceDefinition<Settings>[],
  { config, busUrl }: { readonly config: SettingsOf<Settings>; readonly busUrl: string },
): Promise<Identities> {
  const embedded = isEmbedded(busUrl);
  const identities = new Map<string, Identity>();
  const publicKeys: Record<string, KeySet> = {};
  const listed: ListedKey[] = [];
  for (const { name, identity } of definitions) {
    const own = identity?.(config) ?? null;
    const stored = own === null ? [await generateSigningKey()] : await keysIn(own, embedded);
    const [current] = stored;
    if (!current) throw new Error(`The service ${name} has no signing key.`);
    const signer = await signerOf(current);
    identities.set(name, { service: own?.names[0] ?? name, signer });
    if (own?.verifiedAs && !embedded) listed.push({ setting: own.setting, file: own.file, names: own.verifiedAs, signer });
    for (const trusted of own?.names ?? []) publicKeys[trusted] = staticKeySet(publicKeySet(stored));
  }
  const [first] = identities.values();
  const ofProcess = first ?? { service: "toolbus", signer: await signerOf(await generateSigningKey()) };
  return { ofProcess, publicKeys, listed, of: (service) => identities.get(service) ?? ofProcess };
}

/** Returns whether all services run in this process. No other process can use a bus in memory. */
export function isEmbedded(busUrl: string): boolean {
  return busUrl.startsWith("memory:");
}

async function keysIn({ setting, file }: OwnKeyFile, embedded: boolean): Promise<readonly StoredSigningKey[]> {
  try {
    const found = file === "" ? null : await readSigningKeys({ file });
    if (found !== null) return found;
    if (!embedded)
      throw new Refusal(
        `${setting} names no signing key${file === "" ? "" : ` (there is no file ${file})`}: a service in a separate process signs what others believe. "toolbus keys" makes all keys.`,
      );
    return [file === "" ? await generateSigningKey() : await openSigningKey({ file })];
  } catch (error) {
    throw error instanceof KeyRefused ? new Refusal(error.message) : error;
  }
}
