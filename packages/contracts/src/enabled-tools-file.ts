import { type Static, Type } from "./schema.ts";
import { jsonParser } from "./parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * The content of the file that `TOOLS_ENABLED_FILE` names. It lists the writes that approvals enables without an operator, each with exactly this
 * definition.
 */
export const EnabledToolsFile = Type.Array(
  Type.Object(
    {
      tool: Type.String({ minLength: 1, maxLength: 80 }),
      toolset: Type.String({ minLength: 1, maxLength: 80 }),
      hash: Type.String({ minLength: 1, maxLength: 100 }),
      /** The version, for people who read the file. Approvals compares only the hash. */
      version: Type.Optional(Type.String({ maxLength: 40 })),
    },
    closed,
  ),
  { maxItems: 1000 },
);
export type EnabledToolsFile = Static<typeof EnabledToolsFile>;

export const parseEnabledToolsFile = jsonParser(EnabledToolsFile);
