import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";
import { DocumentSeal } from "./approval.ts";

/**
 * A person's session on the approval page. It has neither the person's API key nor the secret of the cookie. The rights come from the key at each
 * request. Approvals writes it to the family `token`.
 */
export const PageSession = Type.Object(
  {
    keyId: Type.String(),
    /** Changes when the API key gets another secret, so that a session ends with the key that it began with. */
    keyMark: Type.String(),
    principal: Type.String(),
    tenant: Type.String(),
    createdAt: Type.Integer(),
    expiresAt: Type.Integer(),
    seal: Type.Optional(DocumentSeal),
  },
  { additionalProperties: false },
);
export type PageSession = Static<typeof PageSession>;
export const parsePageSession = parser(PageSession);
