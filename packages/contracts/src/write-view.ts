import { type Static, Type } from "./schema.ts";
import type { Json } from "./json.ts";
import { declared } from "./parse.ts";
import { TIERS, ToolDefinition } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Tier = Type.Enum([...TIERS]);

/**
 * How a registered write stands. `pending`: nobody has enabled it. `changed`: what is registered is not what is enabled, so an operator looks at it.
 * `superseded`: an older version, whose runs may end with it if `granted` says so. `damaged`: the enabled definition is not what approvals stored.
 */
export const WRITE_STATES = ["pending", "changed", "enabled", "disabled", "superseded", "damaged"] as const;
export type WriteState = (typeof WRITE_STATES)[number];

/** The definition that is enabled, without the definition. Times are milliseconds since 1970 by the store's clock. */
const enabledFields = {
  toolset: Type.String(),
  version: Type.String(),
  hash: Type.String(),
  /** What its calls take at least: the definition's own tier, or a higher one that an operator has set. */
  tier: Tier,
  enabled: Type.Boolean(),
  pinnedAt: Type.Integer(),
  /** An operator, `file` or `first_sight`. */
  pinnedBy: Type.String(),
  /** The ids of the keys that its toolset's receipts are verified with. */
  receiptKeys: Type.Array(Type.String()),
};
export const EnabledSummary = Type.Object(enabledFields, closed);
export type EnabledSummary = Static<typeof EnabledSummary>;

const registeredFields = {
  tool: Type.String(),
  toolset: Type.String(),
  version: Type.String(),
  hash: Type.String(),
  /** By its own definition. */
  tier: Tier,
  state: Type.Enum([...WRITE_STATES]),
  /** Whether its calls get grants now. */
  granted: Type.Boolean(),
  /** Nobody can enable it and no call of it gets a grant, because its definition is refused: where, and why. */
  quarantined: Type.Optional(Type.Object({ pointer: Type.String(), reason: Type.String() }, closed)),
  /** How it guards less than what is enabled, in words; null when it does not. */
  weaker: OrNull(Type.String()),
  /** The ids of the keys that would be enabled with it, and who says that they are its toolset's: the file of trusted keys, or its worker. */
  receiptKeys: Type.Array(Type.String()),
  receiptKeysFrom: Type.Enum(["service-keys", "registration"]),
  registeredAt: Type.Integer(),
  lastSeenAt: Type.Integer(),
};

/** A registered write and what is enabled under its name. */
export const WriteSummary = Type.Object({ ...registeredFields, enabled: OrNull(EnabledSummary) }, closed);
export type WriteSummary = Static<typeof WriteSummary>;

export const WriteList = Type.Object({ writes: Type.Array(WriteSummary) }, closed);
export type WriteList = Static<typeof WriteList>;

/** One field that differs: by JSON Pointer, as it is enabled and as it is registered. Absent where there is none. */
export const FieldChange = Type.Object(
  { path: Type.String(), from: Type.Optional(Type.Unsafe<Json>({})), to: Type.Optional(Type.Unsafe<Json>({})) },
  closed,
);
export type FieldChange = Static<typeof FieldChange>;

export const RegisteredWrite = Type.Object({ ...registeredFields, definition: ToolDefinition, changes: Type.Array(FieldChange) }, closed);
export type RegisteredWrite = Static<typeof RegisteredWrite>;

/** One write by its name: what is enabled, and everything that is registered, with the difference. */
export const WriteView = Type.Object(
  {
    tool: Type.String(),
    enabled: OrNull(Type.Object({ ...enabledFields, definition: ToolDefinition }, closed)),
    /** Why what is stored as enabled does not count. */
    damaged: OrNull(Type.String()),
    registered: Type.Array(RegisteredWrite),
  },
  closed,
);
export type WriteView = Static<typeof WriteView>;

const Hash = Type.String({ minLength: 1, maxLength: 100 });
const Name = Type.String({ minLength: 1, maxLength: 80 });

/** `POST /v1/writes/{tool}/enable`: exactly the definition that was looked at. */
export const WriteEnable = Type.Object(
  {
    toolset: Name,
    hash: Hash,
    /** Needed when it guards less than what is enabled. */
    acceptWeaker: Type.Optional(Type.Boolean()),
    /** The ids of the receipt keys as they were shown. */
    receiptKeys: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 8 })),
  },
  closed,
);
export type WriteEnable = Static<typeof WriteEnable>;
export const writeEnable = declared("WriteEnable", WriteEnable);

/** `POST /v1/tools/{tool}/remove`: of which version, and of which toolset where several registered the name. */
export const ToolRemove = Type.Object({ version: Type.Optional(Name), toolset: Type.Optional(Name) }, closed);
export type ToolRemove = Static<typeof ToolRemove>;
export const toolRemove = declared("ToolRemove", ToolRemove);

/** What is taken away by `operations`, soon. */
export const ToolRemoval = Type.Object(
  {
    tool: Type.String(),
    toolset: Type.String(),
    version: Type.String(),
    /** When a worker that serves it was seen last. */
    lastSeenAt: Type.Integer(),
    /** A worker lives: it registers the tool again when it starts the next time. */
    served: Type.Boolean(),
  },
  closed,
);
export type ToolRemoval = Static<typeof ToolRemoval>;

/** `POST /v1/writes/{tool}/tier`: what its calls take at least; the definition's own tier takes a raise back. */
export const WriteTier = Type.Object({ tier: Tier, acceptWeaker: Type.Optional(Type.Boolean()) }, closed);
export type WriteTier = Static<typeof WriteTier>;
export const writeTier = declared("WriteTier", WriteTier);
