import type { Principal } from "@toolbus/runtime";
import type { OidcProvider } from "./oidc-file.ts";

/** What a provider says about a person who signed in there. */
export type OidcClaims = Readonly<Record<string, unknown>>;

/** A person at the provider, with those groups that have rights here. */
export interface OidcIdentity {
  readonly person: string;
  readonly providerGroups: readonly string[];
}

type Mapping = Pick<OidcProvider, "issuer" | "tenant" | "personClaim" | "groupsClaim" | "groups" | "people">;

/**
 * Returns who signed in, or why the provider's answer names nobody, as a sentence for the person. An e-mail address counts only if the provider has
 * verified it, because people can often choose it themselves.
 */
export function identityIn(claims: OidcClaims, { personClaim, groupsClaim, groups }: Mapping): OidcIdentity | { readonly fault: string } {
  const person = claims[personClaim];
  if (typeof person !== "string" || person === "" || person.length > LONGEST_NAME)
    return { fault: `The provider did not say who you are: its answer has no usable "${personClaim}".` };
  if (personClaim === "email" && claims["email_verified"] !== true)
    return { fault: "The provider has not verified your e-mail address, so it does not prove who you are." };
  return { person, providerGroups: listOf(claims[groupsClaim]).filter((group) => groups.has(group)) };
}

/**
 * Returns the principal of a person, or null if no group gives the person a role. `people` in the file connects a person with an existing principal.
 * Everybody else is a principal of their own, whose name begins with `oidc:`.
 */
export function principalOf({ person, providerGroups }: OidcIdentity, { issuer, tenant, groups, people }: Mapping): Principal | null {
  const known = people.get(person);
  const given = [...new Set([...providerGroups, ...(known?.groups ?? [])])].flatMap((name) => groups.get(name) ?? []);
  if (given.length === 0) return null;
  const own = new Set(given.flatMap((group) => group.groups ?? []));
  return {
    id: known?.principal ?? `oidc:${person}`,
    tenant,
    roles: [...new Set(given.map(({ role }) => role))],
    scopes: [...new Set(given.flatMap(({ tiers = [] }) => tiers.map((tier) => `approve:${tier}`)))],
    ...(own.size === 0 ? {} : { groups: [...own] }),
    keyId: `oidc:${issuer.host}`,
  };
}

/** The longest name of a person. With its prefix it is as long as a principal may be. */
const LONGEST_NAME = 195;

/** Returns the groups in a claim. Some providers send one group as a text. */
function listOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return [claim];
  return Array.isArray(claim) ? claim.filter((group): group is string => typeof group === "string") : [];
}
