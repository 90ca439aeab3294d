import { type Jwks, jsonParser, TrustedKeysFile } from "@toolbus/contracts";
import { KeyRefused } from "./key-refused.ts";
import type { KeySet } from "./key-set.ts";
import { staticKeySet } from "./key-sources.ts";

/** The public keys of the services, by the name of the service. They never come from the bus or the store. */
export interface TrustedKeys {
  /** Returns the keys of this service, or an empty set for an unknown service. */
  of(service: string): KeySet;
  /** Returns whether this service has a set of keys. */
  knows(service: string): boolean;
}

/** Returns trusted keys from these sets. The sets belong to this process or to a test, or were read from a file. */
export function trustedKeys(sets: Readonly<Record<string, KeySet>>): TrustedKeys {
  const known = new Map(Object.entries(sets));
  return { of: (service) => known.get(service) ?? NO_KEYS, knows: (service) => known.has(service) };
}

/** Parses the text of a file of trusted keys. Throws `KeyRefused` with a sentence that says what is wrong with the file. */
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

/** Returns the text of a file of trusted keys. */
export function trustedKeysFile(services: Readonly<Record<string, Jwks>>): string {
  const file: TrustedKeysFile = { services: { ...services } };
  return `${JSON.stringify(file, null, 2)}\n`;
}

const parse = jsonParser(TrustedKeysFile);
const NO_KEYS: KeySet = { find: async () => null };
