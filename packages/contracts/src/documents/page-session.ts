import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";
import { DocumentSeal } from "./approval.ts";

const closed = { additionalProperties: false } as const;
const common = {
  principal: Type.String(),
  tenant: Type.String(),
  createdAt: Type.Integer(),
  expiresAt: Type.Integer(),
  seal: Type.Optional(DocumentSeal),
} as const;

/** The session of a person who signed in with an API key. The document does not contain the key. The rights come from the key at each request. */
const KeySession = Type.Object(
  {
    keyId: Type.String(),
    /** A value that changes when the API key gets another secret. The session ends when this value no longer matches the key. */
    keyMark: Type.String(),
    ...common,
  },
  closed,
);

/**
 * The session of a person who signed in at the provider. The document contains no token of the provider. The rights come from the mapping of these
 * groups at each request.
 */
const OidcSession = Type.Object(
  {
    issuer: Type.String(),
    clientId: Type.String(),
    /** The person's name at the provider. */
    person: Type.String(),
    /** The groups that the person had at the provider when the session began, without those that had no mapping. */
    providerGroups: Type.Array(Type.String()),
    ...common,
  },
  closed,
);

/** A person's session on the approval page. The document does not contain the secret of the cookie. Approvals writes it to the family `token`. */
export const PageSession = Type.Union([KeySession, OidcSession]);
export type PageSession = Static<typeof PageSession>;
export const parsePageSession = parser(PageSession);
