import { type Jwks, jsonParser, TrustedKeysFile } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import type { KeySet } from "./key-set.ts";
import { staticKeySet } from "./key-sources.ts";

/** The public keys of the services, by name: whose signature counts as whose. Never from the bus or the store. */
export interface TrustedKeys {
  /** The keys of this service; a set without keys for an unknown service. */
  of(service: string): KeySet;
  /** Whether there is a set of keys for it. */
  knows(service: string): boolean;
}

/** Trusted keys in memory: of this process, of a test, or read from a file. */
export function trustedKeys(sets: Readonly<Record<string, KeySet>>): TrustedKeys {
  const known = new Map(Object.entries(sets));
  return { of: (service) => known.get(service) ?? NO_KEYS, knows: (service) => known.has(service) };
}

/** Parses the text of a file of trusted keys. Throws `KeyRefused` with a sentence that says what is wrong with it. */
export function parseTrustedKeys(text: string, file: string): Readonly<Record<string, KeySet>> {
  const parsed = parse(text);
  if (!parsed.ok) {
    const { path, message } = parsed.problems[0] ?? { path: "", message: "cannot be read" };
    throw new KeyRefused(
      `The file of trusted keys ${file} cannot be used: ${path === "" ? "it" : path} ${message}; create one with "toolbus keys".`,
    );
  }
  return Object.fromEntries(Object.entries(parsed.value.services).map(([service, jwks]) => [service, staticKeySet(jwks)]));
}

/** The text of such a file. */
export function trustedKeysFile(services: Readonly<Record<string, Jwks>>): string {
  const file: TrustedKeysFile = { services: { ...services } };
  return `${JSON.stringify(file, null, 2)}\n`;
}

const parse = jsonParser(TrustedKeysFile);
const NO_KEYS: KeySet = { find: async () => null };
