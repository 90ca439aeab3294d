import { type Static, Type } from "./schema.ts";
import type { Json, JsonObject } from "./json.ts";
import { declared, declaredQuery } from "./parse.ts";

const closed = { additionalProperties: false } as const;

export const REFUSED_KINDS = ["approval", "pin", "era", "chain"] as const;
export const REFUSALS = ["unsealed", "forged", "unknown_key", "older"] as const;

/** A document of approvals that approvals does not accept. Anybody with write access to the store may have written its content. */
export const RefusedDocument = Type.Object(
  {
    /** The document's key in the store. */
    document: Type.String(),
    kind: Type.Enum([...REFUSED_KINDS]),
    /** The version of the document. A request to adopt the document must name it. */
    version: Type.Integer(),
    why: Type.Enum([...REFUSALS]),
    detail: Type.String(),
    /**
     * True if an operator may let approvals seal the document. Such a document has no seal, and its content is one that approvals could have written.
     * For the end of a chain, it is true if an operator may let approvals continue the chain without this document.
     */
    adoptable: Type.Boolean(),
    /** The content of the document, or null if it is not an object. */
    says: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  },
  closed,
);
export type RefusedDocument = Static<typeof RefusedDocument>;

export const RefusedList = Type.Object({ documents: Type.Array(RefusedDocument) }, closed);
export type RefusedList = Static<typeof RefusedList>;

/** The body of `POST /v1/refused/adopt`. It names the document exactly as the operator saw it. */
export const AdoptDocument = Type.Object(
  { document: Type.String({ minLength: 1, maxLength: 400 }), version: Type.Integer({ minimum: 1 }) },
  closed,
);
export type AdoptDocument = Static<typeof AdoptDocument>;
export const adoptDocument = declared("AdoptDocument", AdoptDocument);

export const AdoptedDocument = Type.Object({ document: Type.String(), adopted: Type.Literal(true) }, closed);
export type AdoptedDocument = Static<typeof AdoptedDocument>;

/** `left` is the number of approvals' documents that still have a seal or signature of an older key. */
export const SealsView = Type.Object({ left: Type.Integer(), resealed: Type.Integer() }, closed);
export type SealsView = Static<typeof SealsView>;

/** An event that no honest service or person causes. Approvals, an agent or a worker recorded it. */
export const SecurityEventView = Type.Object(
  {
    shard: Type.String(),
    at: Type.Integer(),
    kind: Type.String(),
    by: Type.String(),
    approvalId: Type.Optional(Type.String()),
    details: Type.Optional(Type.Unsafe<Readonly<Record<string, Json>>>({ type: "object" })),
  },
  closed,
);
export type SecurityEventView = Static<typeof SecurityEventView>;

/**
 * The security events since a time, newest first. `count` is the number of all events since that time, but the list may contain only the newest ones.
 */
export const SecurityEvents = Type.Object({ since: Type.Integer(), count: Type.Integer(), events: Type.Array(SecurityEventView) }, closed);
export type SecurityEvents = Static<typeof SecurityEvents>;

export const securityQuery = declaredQuery(
  "SecurityQuery",
  Type.Object(
    {
      /** The start of the period, in milliseconds since 1970 by the store's clock. The default is a day ago. */
      since: Type.Optional(Type.Integer({ minimum: 0, description: "milliseconds since 1970; by default a day ago" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "how many of the newest are listed" })),
    },
    closed,
  ),
);
