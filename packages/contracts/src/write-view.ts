import { type Static, Type } from "./schema.ts";
import type { Json } from "./json.ts";
import { declared, declaredQuery } from "./parse.ts";
import { TIERS, ToolDefinition } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Tier = Type.Enum([...TIERS]);

/**
 * The state of a registered write. It is `pending` if nobody has enabled it. It is `changed` if it differs from the enabled definition, so an
 * operator must look at it. It is `superseded` if it is an older version. `granted` then says whether runs may still use it. It is `damaged` if the
 * enabled definition differs from the one that approvals stored.
 */
export const WRITE_STATES = ["pending", "changed", "enabled", "disabled", "superseded", "damaged"] as const;
export type WriteState = (typeof WRITE_STATES)[number];

/** The enabled version without its definition. Times are milliseconds since 1970 by the store's clock. */
const enabledFields = {
  toolset: Type.String(),
  version: Type.String(),
  hash: Type.String(),
  /** The minimum tier of the tool's calls. It is the definition's own tier, or a higher one that an operator has set. */
  tier: Tier,
  enabled: Type.Boolean(),
  pinnedAt: Type.Integer(),
  /** The operator who enabled the write, or `file`, or `first_sight`. */
  pinnedBy: Type.String(),
  /** The ids of the keys that verify the toolset's receipts. */
  receiptKeys: Type.Array(Type.String()),
};
export const EnabledSummary = Type.Object(enabledFields, closed);
export type EnabledSummary = Static<typeof EnabledSummary>;

const registeredFields = {
  tool: Type.String(),
  toolset: Type.String(),
  version: Type.String(),
  hash: Type.String(),
  /** The tier of the registered definition. */
  tier: Tier,
  state: Type.Enum([...WRITE_STATES]),
  /** True if calls of this definition get grants now. */
  granted: Type.Boolean(),
  /** The place and the reason of the fault, if the definition is refused. Nobody can enable it then, and no call of it gets a grant. */
  quarantined: Type.Optional(Type.Object({ pointer: Type.String(), reason: Type.String() }, closed)),
  /**
   * Says how the definition is less strict than the enabled one, or that the enabled one is unknown. It is null if the definition is not less strict.
   */
  weaker: OrNull(Type.String()),
  /**
   * The ids of the keys that would be enabled with the write. `receiptKeysFrom` says who vouches that the keys belong to the toolset: the file of
   * trusted keys, or the worker itself.
   */
  receiptKeys: Type.Array(Type.String()),
  receiptKeysFrom: Type.Enum(["service-keys", "registration"]),
  /** What is suspicious about the texts of the definition, a sentence for each. Absent if nothing is. Earlier versions do not send this field. */
  warnings: Type.Optional(Type.Array(Type.String())),
  registeredAt: Type.Integer(),
  lastSeenAt: Type.Integer(),
};

/** One field that differs, by JSON Pointer, with the enabled and the registered value. A missing value is absent. */
export const FieldChange = Type.Object(
  { path: Type.String(), from: Type.Optional(Type.Unsafe<Json>({})), to: Type.Optional(Type.Unsafe<Json>({})) },
  closed,
);
export type FieldChange = Static<typeof FieldChange>;

const definitionFields = { definition: ToolDefinition, changes: Type.Array(FieldChange) };

/** A registered write with the version that is enabled under its name. */
export const WriteSummary = Type.Object(
  {
    ...registeredFields,
    enabled: OrNull(EnabledSummary),
    /** The MCP server of the write. Absent if the write belongs to no MCP server. Earlier versions do not send this field. */
    server: Type.Optional(Type.String()),
    /** The definition, and how it differs from the enabled one. Present only if the query names a server. */
    definition: Type.Optional(ToolDefinition),
    changes: Type.Optional(definitionFields.changes),
  },
  closed,
);
export type WriteSummary = Static<typeof WriteSummary>;

/** The query of `GET /v1/writes`. */
export const writesQuery = declaredQuery(
  "WritesQuery",
  Type.Object(
    {
      server: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description:
            "Only the writes of this MCP server, with their definitions. Case and punctuation do not matter, so `my_server` names `My Server`.",
        }),
      ),
    },
    closed,
  ),
);

export const WriteList = Type.Object({ writes: Type.Array(WriteSummary) }, closed);
export type WriteList = Static<typeof WriteList>;

export const RegisteredWrite = Type.Object({ ...registeredFields, ...definitionFields }, closed);
export type RegisteredWrite = Static<typeof RegisteredWrite>;

/** All definitions of one write: the enabled one and every registered one, with the differences. */
export const WriteView = Type.Object(
  {
    tool: Type.String(),
    enabled: OrNull(Type.Object({ ...enabledFields, definition: ToolDefinition }, closed)),
    /** The reason why the stored enabled definition is not valid, or null. */
    damaged: OrNull(Type.String()),
    registered: Type.Array(RegisteredWrite),
  },
  closed,
);
export type WriteView = Static<typeof WriteView>;

const Hash = Type.String({ minLength: 1, maxLength: 100 });
const Name = Type.String({ minLength: 1, maxLength: 80 });

/** The body of `POST /v1/writes/{tool}/enable`. It names exactly the definition that the operator saw. */
export const WriteEnable = Type.Object(
  {
    toolset: Name,
    hash: Hash,
    /** True if the operator accepts a definition that is less strict than the enabled one. Such a definition requires this field. */
    acceptWeaker: Type.Optional(Type.Boolean()),
    /** The ids of the receipt keys that the operator saw. */
    receiptKeys: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 8 })),
  },
  closed,
);
export type WriteEnable = Static<typeof WriteEnable>;
export const writeEnable = declared("WriteEnable", WriteEnable);

/** The body of `POST /v1/tools/{tool}/remove`. It names the version, and the toolset if several toolsets registered the name. */
export const ToolRemove = Type.Object({ version: Type.Optional(Name), toolset: Type.Optional(Name) }, closed);
export type ToolRemove = Static<typeof ToolRemove>;
export const toolRemove = declared("ToolRemove", ToolRemove);

/** The registration that the worker of the toolset `operations` will remove. */
export const ToolRemoval = Type.Object(
  {
    tool: Type.String(),
    toolset: Type.String(),
    version: Type.String(),
    /** The time when a worker that serves the tool was last seen. */
    lastSeenAt: Type.Integer(),
    /** True if a worker of the tool is alive. This worker registers the tool again at its next start. */
    served: Type.Boolean(),
  },
  closed,
);
export type ToolRemoval = Static<typeof ToolRemoval>;

/** The body of `POST /v1/writes/{tool}/tier`. It sets the minimum tier of the tool's calls. The definition's own tier withdraws an earlier raise. */
export const WriteTier = Type.Object({ tier: Tier, acceptWeaker: Type.Optional(Type.Boolean()) }, closed);
export type WriteTier = Static<typeof WriteTier>;
export const writeTier = declared("WriteTier", WriteTier);
