import { type Static, Type } from "./schema.ts";
import type { Json } from "./json.ts";
import { declared } from "./parse.ts";
import { TIERS, ToolDefinition } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;
const OrNull = <const T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Tier = Type.Enum([...TIERS]);

/**
 * The state of a registered write. `pending`: nobody has enabled it. `changed`: what is registered differs from what is enabled, so an operator must look
 * at it. `superseded`: an older version, whose runs may end with it if `granted` says so. `damaged`: the enabled definition is not what approvals stored.
 */
export const WRITE_STATES = ["pending", "changed", "enabled", "disabled", "superseded", "damaged"] as const;
export type WriteState = (typeof WRITE_STATES)[number];

/** The enabled version, without its definition. Times are milliseconds since 1970 by the store's clock. */
const enabledFields = {
  toolset: Type.String(),
  version: Type.String(),
  hash: Type.String(),
  /** The minimum tier of its calls: the definition's own tier, or a higher one that an operator has set. */
  tier: Tier,
  enabled: Type.Boolean(),
  pinnedAt: Type.Integer(),
  /** An operator, `file` or `first_sight`. */
  pinnedBy: Type.String(),
  /** The ids of the keys that verify its toolset's receipts. */
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
  /** How it is less strict than the enabled one, in words; null if it is not. */
  weaker: OrNull(Type.String()),
  /** The ids of the keys that would be enabled with it, and who vouches that they belong to its toolset: the file of trusted keys, or its worker. */
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

/** One field that differs: by JSON Pointer, with the enabled and the registered value. A missing value is absent. */
export const FieldChange = Type.Object(
  { path: Type.String(), from: Type.Optional(Type.Unsafe<Json>({})), to: Type.Optional(Type.Unsafe<Json>({})) },
  closed,
);
export type FieldChange = Static<typeof FieldChange>;

export const RegisteredWrite = Type.Object({ ...registeredFields, definition: ToolDefinition, changes: Type.Array(FieldChange) }, closed);
export type RegisteredWrite = Static<typeof RegisteredWrite>;

/** One write by its name: what is enabled, and everything that is registered, with the differences. */
export const WriteView = Type.Object(
  {
    tool: Type.String(),
    enabled: OrNull(Type.Object({ ...enabledFields, definition: ToolDefinition }, closed)),
    /** Why the stored enabled definition does not count. */
    damaged: OrNull(Type.String()),
    registered: Type.Array(RegisteredWrite),
  },
  closed,
);
export type WriteView = Static<typeof WriteView>;

const Hash = Type.String({ minLength: 1, maxLength: 100 });
const Name = Type.String({ minLength: 1, maxLength: 80 });

/** `POST /v1/writes/{tool}/enable`: exactly the definition that the operator saw. */
export const WriteEnable = Type.Object(
  {
    toolset: Name,
    hash: Hash,
    /** Required if it is less strict than the enabled one. */
    acceptWeaker: Type.Optional(Type.Boolean()),
    /** The ids of the receipt keys as they were shown. */
    receiptKeys: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 8 })),
  },
  closed,
);
export type WriteEnable = Static<typeof WriteEnable>;
export const writeEnable = declared("WriteEnable", WriteEnable);

/** `POST /v1/tools/{tool}/remove`: names the version, and the toolset if several registered the name. */
export const ToolRemove = Type.Object({ version: Type.Optional(Name), toolset: Type.Optional(Name) }, closed);
export type ToolRemove = Static<typeof ToolRemove>;
export const toolRemove = declared("ToolRemove", ToolRemove);

/** What `operations` removes soon. */
export const ToolRemoval = Type.Object(
  {
    tool: Type.String(),
    toolset: Type.String(),
    version: Type.String(),
    /** When a worker that serves it was seen last. */
    lastSeenAt: Type.Integer(),
    /** A worker is alive: it registers the tool again at its next start. */
    served: Type.Boolean(),
  },
  closed,
);
export type ToolRemoval = Static<typeof ToolRemoval>;

/** `POST /v1/writes/{tool}/tier`: the minimum tier of its calls; the definition's own tier withdraws a raise. */
export const WriteTier = Type.Object({ tier: Tier, acceptWeaker: Type.Optional(Type.Boolean()) }, closed);
export type WriteTier = Static<typeof WriteTier>;
export const writeTier = declared("WriteTier", WriteTier);
