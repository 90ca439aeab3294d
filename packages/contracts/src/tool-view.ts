import { type Static, Type } from "./schema.ts";
import { AVAILABILITIES } from "./documents/registry.ts";
import type { JsonObject } from "./json.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** One version of a tool as `GET /v1/tools` shows it. Times are milliseconds since 1970 by the store's clock. */
export const ToolView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    /** The version that a new run gets if its profile does not fix one. */
    preferred: Type.Boolean(),
    toolset: Type.String(),
    source: Type.String(),
    kind: Type.Enum(["read", "compute", "write"]),
    tier: Type.Enum([...TIERS]),
    description: Type.String(),
    /** As the model sees them. */
    parameters: Type.Unsafe<JsonObject>({ type: "object" }),
    /** Arguments that work at this moment, if its workers declare some. */
    example: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    /** Of the whole definition. */
    hash: Type.String(),
    owner: Type.Optional(Type.String()),
    scopes: Type.Optional(Type.Array(Type.String())),
    /** Why the caller's key may not use it, in a sentence; absent: it may. */
    forbidden: Type.Optional(Type.String()),
    /** The feature flag that can switch it off. */
    flag: Type.Optional(Type.String()),
    /** What to use instead, and what differs. */
    deprecated: Type.Optional(Type.Object({ note: Type.String() }, closed)),
    /** True if a worker was seen lately and did not report that the tool cannot be used, and the tool is not quarantined. */
    available: Type.Boolean(),
    /** `asleep`: no worker was seen lately; the tool is still registered, and a call waits for a worker. */
    availability: Type.Enum([...AVAILABILITIES]),
    /** Nobody uses it, because its definition is refused: where, and why. Its parameters are not shown in this case. */
    quarantined: Type.Optional(Type.Object({ pointer: Type.String(), reason: Type.String() }, closed)),
    /** The providers that cannot express its parameters: their models are not offered it. */
    setAside: Type.Optional(Type.Array(Type.Object({ provider: Type.String(), pointer: Type.String(), reason: Type.String() }, closed))),
    /** Which parts of its parameters are not sent to these providers' models: only the worker's own check enforces them. */
    lost: Type.Optional(
      Type.Array(Type.Object({ providers: Type.Array(Type.String()), pointer: Type.String(), what: Type.String() }, closed)),
    ),
    unavailable: Type.Optional(Type.Object({ since: Type.Integer(), reason: Type.String() }, closed)),
    registeredAt: Type.Integer(),
    lastSeenAt: Type.Integer(),
    /** With `asleep`: when its last worker reported that it stops. */
    leftAt: Type.Optional(Type.Integer()),
    /** Its workers may be scaled to zero: it is not a fault if none is alive. */
    scalesToZero: Type.Optional(Type.Literal(true)),
  },
  closed,
);
export type ToolView = Static<typeof ToolView>;

/** Body of `GET /v1/tools`: every version of every tool, in alphabetical order of toolset and name. */
export const ToolList = Type.Object(
  {
    /** Identifies what is registered: it changes with every definition that is added, removed or changed, and with nothing else. */
    registryVersion: Type.String(),
    /** When this was read, by the clock of `lastSeenAt`: the difference is the age of a heartbeat, whatever the reader's own clock says. */
    asOf: Type.Optional(Type.Integer()),
    tools: Type.Array(ToolView),
  },
  closed,
);
export type ToolList = Static<typeof ToolList>;

/** Body of `GET /v1/agents`: the agents that this gateway starts runs for. Times are milliseconds since 1970 by the store's clock. */
export const AgentList = Type.Object(
  {
    asOf: Type.Integer(),
    agents: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          profiles: Type.Array(Type.String()),
          /** When one of its replicas last sent a heartbeat; absent: none ever did. */
          lastSeenAt: Type.Optional(Type.Integer()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type AgentList = Static<typeof AgentList>;
