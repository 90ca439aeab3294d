import { type Static, Type } from "./schema.ts";
import type { JsonObject } from "./json.ts";
import { parser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * The profile of a run that makes one call and asks no model. Only the gateway starts such runs. No profile file and no client can use the name,
 * because `ProfileName` has no colon.
 */
export const DIRECT_CALL_PROFILE = "mcp:call";

/** The one call of a run of the profile `DIRECT_CALL_PROFILE`. It is the field `call` of the run's input. */
export const DirectCall = Type.Object(
  {
    tool: Type.String({ maxLength: 64 }),
    arguments: Type.Unsafe<JsonObject>({ type: "object" }),
    /** The name that the client gave itself. Toolbus does not know what the model of this client has read. */
    client: Type.String({ maxLength: 80 }),
  },
  closed,
);
export type DirectCall = Static<typeof DirectCall>;

/** Reads the field `call` of a run's input. */
export const parseDirectCall = parser(DirectCall);
