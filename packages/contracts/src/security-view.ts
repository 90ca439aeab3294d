import { type Static, Type } from "./schema.ts";
import type { Json, JsonObject } from "./json.ts";
import { declared, declaredQuery } from "./parse.ts";

const closed = { additionalProperties: false } as const;

export const REFUSED_KINDS = ["approval", "pin", "era"] as const;
export const REFUSALS = ["unsealed", "forged", "unknown_key", "older"] as const;

/** A document of approvals that does not count: anybody may have written its content. */
export const RefusedDocument = Type.Object(
  {
    /** Its key in the store. */
    document: Type.String(),
    kind: Type.Enum([...REFUSED_KINDS]),
    /** The name by which it is adopted. */
    version: Type.Integer(),
    why: Type.Enum([...REFUSALS]),
    detail: Type.String(),
    /** Whether an operator may have approvals seal it: it has no seal, and approvals could have written it. */
    adoptable: Type.Boolean(),
    /** Its content; null if that is not an object. */
    says: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  },
  closed,
);
export type RefusedDocument = Static<typeof RefusedDocument>;

export const RefusedList = Type.Object({ documents: Type.Array(RefusedDocument) }, closed);
export type RefusedList = Static<typeof RefusedList>;

/** `POST /v1/refused/adopt`: the document exactly as the operator saw it. */
export const AdoptDocument = Type.Object(
  { document: Type.String({ minLength: 1, maxLength: 400 }), version: Type.Integer({ minimum: 1 }) },
  closed,
);
export type AdoptDocument = Static<typeof AdoptDocument>;
export const adoptDocument = declared("AdoptDocument", AdoptDocument);

export const AdoptedDocument = Type.Object({ document: Type.String(), adopted: Type.Literal(true) }, closed);
export type AdoptedDocument = Static<typeof AdoptedDocument>;

/** How many documents of approvals carry a key other than the current one. */
export const SealsView = Type.Object({ left: Type.Integer(), resealed: Type.Integer() }, closed);
export type SealsView = Static<typeof SealsView>;

/** Something that an honest service or person does not do, recorded by approvals. */
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

/** Security events since a time, newest first. `count` is of all of them; the list may hold only the newest. */
export const SecurityEvents = Type.Object({ since: Type.Integer(), count: Type.Integer(), events: Type.Array(SecurityEventView) }, closed);
export type SecurityEvents = Static<typeof SecurityEvents>;

export const securityQuery = declaredQuery(
  "SecurityQuery",
  Type.Object(
    {
      /** Milliseconds since 1970 by the store's clock; by default a day ago. */
      since: Type.Optional(Type.Integer({ minimum: 0, description: "milliseconds since 1970; by default a day ago" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "how many of the newest are listed" })),
    },
    closed,
  ),
);
