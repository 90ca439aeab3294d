import { type Static, Type } from "./schema.ts";
import { ID_PATTERNS } from "./ids.ts";
import { isForeign, type ToolDefinition, type Trust } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** The largest number of sources that a taint lists. Later ones are counted in `more`. */
export const MAX_TAINT_SOURCES = 3;
/** The longest passage of a source, in UTF-16 code units, and in bytes when it is stored. */
export const MAX_PASSAGE = 400;

/** One untrusted result that a run has read, with the passage that a person should see before they decide about a write. */
export const TaintSource = Type.Object(
  {
    callId: Type.String({ pattern: ID_PATTERNS.call }),
    tool: Type.String({ maxLength: 128 }),
    passage: Type.String({ maxLength: MAX_PASSAGE }),
  },
  closed,
);
export type TaintSource = Static<typeof TaintSource>;

/**
 * The mark of a run that has read untrusted content. A run never loses this mark. Later runs of its conversation have it too, because they read the
 * same transcript. The agent writes the mark, so approvals uses it only to raise a tier.
 */
export const Taint = Type.Object(
  { sources: Type.Array(TaintSource, { minItems: 1, maxItems: MAX_TAINT_SOURCES }), more: Type.Optional(Type.Integer({ minimum: 1 })) },
  closed,
);
export type Taint = Static<typeof Taint>;

/** Returns how far the results of a tool can be trusted. A foreign tool is untrusted unless its operator says otherwise. */
export function trustOf({ source, trust }: Pick<ToolDefinition, "source" | "trust">): Trust {
  return trust ?? (isForeign({ source }) ? "untrusted" : "internal");
}
