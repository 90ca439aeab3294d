import { type Static, Type } from "./schema.ts";
import { AVAILABILITIES } from "./documents/registry.ts";
import type { JsonObject } from "./json.ts";
import { TIERS } from "./tool-definition.ts";
import { Dependency, ToolLimits } from "./tool-protection.ts";

const closed = { additionalProperties: false } as const;

/** One version of a tool as `GET /v1/tools` shows it. Times are milliseconds since 1970 by the store's clock. */
export const ToolView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    /** True for the version that a new run gets if its profile does not name one. */
    preferred: Type.Boolean(),
    toolset: Type.String(),
    source: Type.String(),
    kind: Type.Enum(["read", "compute", "write"]),
    tier: Type.Enum([...TIERS]),
    description: Type.String(),
    /** The parameters as the model sees them. */
    parameters: Type.Unsafe<JsonObject>({ type: "object" }),
    /** Arguments that work at this moment, if the tool's workers declare some. */
    example: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
    /** The hash of the whole definition. */
    hash: Type.String(),
    /** The team that answers for the tool. */
    owner: Type.Optional(Type.String()),
    /** The latency that 99 of 100 calls keep, in milliseconds, and the share of calls that succeed, as the definition promises. */
    slo: Type.Optional(Type.Object({ p99Ms: Type.Optional(Type.Integer()), successRate: Type.Optional(Type.Number()) }, closed)),
    /** The systems on which the tool acts, with their latency budgets and the calls that one worker process makes at once. */
    dependencies: Type.Optional(Type.Array(Type.Object({ ...Dependency.properties, name: Type.String() }, closed))),
    limits: Type.Optional(ToolLimits),
    scopes: Type.Optional(Type.Array(Type.String())),
    /** Says in a sentence why the caller's key may not use the tool. It is absent if the key may use the tool. */
    forbidden: Type.Optional(Type.String()),
    /** The feature flag that can switch the tool off. */
    flag: Type.Optional(Type.String()),
    /** The replacement for a deprecated tool, and how the replacement differs. */
    deprecated: Type.Optional(Type.Object({ note: Type.String() }, closed)),
    /** True if a worker was seen recently and did not report that the tool cannot be used. The tool must also not be quarantined. */
    available: Type.Boolean(),
    /** The value is `asleep` if no worker was seen recently. The tool is still registered, and a call waits for a worker. */
    availability: Type.Enum([...AVAILABILITIES]),
    /**
     * The place and the reason of the fault, if the tool's definition is refused. Nobody uses the tool then, and the list does not show its
     * parameters.
     */
    quarantined: Type.Optional(Type.Object({ pointer: Type.String(), reason: Type.String() }, closed)),
    /** The providers that cannot express the tool's parameters. The agent does not offer the tool to their models. */
    setAside: Type.Optional(Type.Array(Type.Object({ provider: Type.String(), pointer: Type.String(), reason: Type.String() }, closed))),
    /** The parts of the parameters that are not sent to the models of these providers. Only the worker checks them. */
    lost: Type.Optional(
      Type.Array(Type.Object({ providers: Type.Array(Type.String()), pointer: Type.String(), what: Type.String() }, closed)),
    ),
    unavailable: Type.Optional(Type.Object({ since: Type.Integer(), reason: Type.String() }, closed)),
    registeredAt: Type.Integer(),
    lastSeenAt: Type.Integer(),
    /** The time when the last worker reported that it stops. Only an `asleep` tool has it. */
    leftAt: Type.Optional(Type.Integer()),
    /** True if the workers may be scaled to zero. The absence of a living worker is then no fault. */
    scalesToZero: Type.Optional(Type.Literal(true)),
  },
  closed,
);
export type ToolView = Static<typeof ToolView>;

/** The body of `GET /v1/tools`. It lists every version of every tool, in alphabetical order of toolset and name. */
export const ToolList = Type.Object(
  {
    /** The version of the registry. It changes only if a definition is added, removed or changed. */
    registryVersion: Type.String(),
    /**
     * The time when the list was read, by the clock of `lastSeenAt`. The difference is the age of a heartbeat, so the reader's own clock does not
     * matter.
     */
    asOf: Type.Optional(Type.Integer()),
    tools: Type.Array(ToolView),
    /** The registrations that cannot be read, such as those of a newer worker, each with the reason. Nobody uses them. Absent if all can be read. */
    unreadable: Type.Optional(
      Type.Array(Type.Object({ toolset: Type.String(), name: Type.String(), version: Type.String(), reason: Type.String() }, closed)),
    ),
  },
  closed,
);
export type ToolList = Static<typeof ToolList>;

/** The body of `GET /v1/agents`. It lists the agents for which this gateway starts runs. Times are milliseconds since 1970 by the store's clock. */
export const AgentList = Type.Object(
  {
    asOf: Type.Integer(),
    agents: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          profiles: Type.Array(Type.String()),
          /** The time when one of the agent's replicas last sent a heartbeat. It is absent if none ever did. */
          lastSeenAt: Type.Optional(Type.Integer()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type AgentList = Static<typeof AgentList>;
