import { type Static, Type } from "./schema.ts";
import { HookSourceEntry } from "./hook-sources-file.ts";
import { ApiKey } from "./http.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;
const claim = Type.String({ minLength: 1, maxLength: 200 });

/** The rights of a group of the provider. */
export const OidcGroup = Type.Object(
  {
    role: Type.Enum(["approver", "operator"] as const),
    /** The tiers of the writes that an approver may decide. */
    tiers: Type.Optional(HookSourceEntry.properties.tiers),
    /** The groups that the person gets. A policy can require approvers of certain groups. */
    groups: ApiKey.properties.groups,
  },
  closed,
);
export type OidcGroup = Static<typeof OidcGroup>;

/** One person of the provider whom Toolbus knows under another name. */
export const OidcPerson = Type.Object(
  {
    /** The person's principal in Toolbus, such as the one of the person's API keys. */
    principal: ApiKey.properties.principal,
    /** Entries of `groups` that the person has in addition to those that the provider reports. */
    groups: Type.Optional(Type.Array(claim, { maxItems: 64 })),
  },
  closed,
);
export type OidcPerson = Static<typeof OidcPerson>;

/** The provider at which people sign in to the approval page. An operator puts it into the file that `APPROVALS_OIDC_FILE` names. */
export const OidcFile = Type.Object(
  {
    /** The name of the provider on the sign-in page. */
    name: Type.String({ minLength: 1, maxLength: 60 }),
    issuer: Type.String({ minLength: 1, maxLength: 500 }),
    clientId: Type.String({ minLength: 1, maxLength: 500 }),
    /** Absent for a public client, which has only PKCE. */
    clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    /** The scopes to ask for in addition to `openid`. */
    scopes: Type.Optional(Type.Array(Type.String({ pattern: "^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,200}$" }), { maxItems: 20 })),
    /** The tenant whose approvals the people may decide. */
    tenant: ApiKey.properties.tenant,
    /** The claim that identifies a person, by default `sub`. The provider must never give the same value to another person. */
    personClaim: Type.Optional(claim),
    /** The claim with the groups of a person, by default `groups`. */
    groupsClaim: Type.Optional(claim),
    /** Maps groups of the provider to rights. */
    groups: Type.Unsafe<Readonly<Record<string, OidcGroup>>>({
      type: "object",
      minProperties: 1,
      maxProperties: 200,
      propertyNames: { type: "string", minLength: 1, maxLength: 200 },
      additionalProperties: OidcGroup,
    }),
    /** Maps the value of `personClaim` to principals. */
    people: Type.Optional(
      Type.Unsafe<Readonly<Record<string, OidcPerson>>>({
        type: "object",
        maxProperties: 200,
        propertyNames: { type: "string", minLength: 1, maxLength: 200 },
        additionalProperties: OidcPerson,
      }),
    ),
  },
  closed,
);
export type OidcFile = Static<typeof OidcFile>;
export const parseOidcFile = parser(OidcFile);
