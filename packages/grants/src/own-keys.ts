import { generateSigningKey, publicKeySet, signerOf } from "./keys.ts";
import type { Identity } from "./signed-message.ts";
import { staticKeySet } from "./key-sources.ts";
import { type TrustedKeys, trustedKeys } from "./trusted-keys.ts";

/** Keys of services that trust each other because one program created all of them. */
export interface OwnKeys {
  /** Returns the identity of a service. Throws a RangeError for a service that was not named at the start. */
  identityOf(service: string): Identity;
  readonly trusted: TrustedKeys;
}

/** Creates keys for these services. This is for programs that start services by hand, such as tests and benchmarks. */
export async function ownKeys(services: readonly string[]): Promise<OwnKeys> {
  const made = await Promise.all(services.map(async (service) => ({ service, stored: await generateSigningKey() })));
  const identities = await Promise.all(made.map(async ({ service, stored }) => ({ service, signer: await signerOf(stored) })));
  return {
    identityOf(service) {
      const identity = identities.find((known) => known.service === service);
      if (!identity) throw new RangeError(`There is no key for ${service}.`);
      return identity;
    },
    trusted: trustedKeys(Object.fromEntries(made.map(({ service, stored }) => [service, staticKeySet(publicKeySet([stored]))]))),
  };
}
