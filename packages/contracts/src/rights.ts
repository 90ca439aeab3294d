import type { Family } from "./keys.ts";
import { MCP_TOOLSET } from "./mcp-tools.ts";
import { DEFAULT_AGENT, queuesOf, topics } from "./topics.ts";

/**
 * The parts of a deployment. Each agent and each toolset has its own queues and documents. `operations` always exists and is not a toolset with
 * tools.
 */
export interface DeploymentParts {
  readonly agents: readonly string[];
  readonly toolsets: readonly string[];
}

/** The rights of one service on the bus, by topic. A consumer of a topic also publishes its retries and its dead letters. */
export interface TopicRights {
  readonly publishes: readonly string[];
  readonly consumes: readonly string[];
  readonly announces: readonly string[];
  readonly listens: readonly string[];
}

/**
 * Names in the state store. A family covers all of its ids, and `family:id` covers one id in every shard. A `*` at the end of a family or an index
 * covers any ending. A service that may write something may also read it.
 */
export interface Access {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

/** The rights of one service in the state store. */
export interface StoreRights {
  readonly documents: Access;
  readonly logs: Access;
  /** The batches of live text, which are kept for a minute. */
  readonly live: Access;
  readonly indexes: Access;
  /** The services whose timers and outbox rows this service claims and settles. */
  readonly rows: readonly string[];
  readonly blobs: "none" | "read" | "write";
  /**
   * True if the service may report that the clock of the store's server was set back. A compromised service with this right could make every deadline
   * pass.
   */
  readonly keepsTime: boolean;
}

/** The rights of one service. Each service has its own login on the broker and in the store. */
export interface ServiceRights {
  readonly service: string;
  readonly topics: TopicRights;
  readonly store: StoreRights;
}

/**
 * The login that creates what services need on a broker and in a store: exchanges, queues, streams and the record of the store. No service has this
 * login.
 */
export const SET_UP = "setup";

/** The service that keeps and replays dead letters. */
export const OPERATIONS = "operations";

/** The toolset that serves the guides of all toolsets and keeps the skills of tenants. */
export const GUIDES = "guides";

/** Returns the name of the service that runs the tools of one toolset. */
export function workerOf(toolset: string): string {
  return `worker-${toolset}`;
}

/**
 * Returns the rights of every service. `toolbus permissions` makes all logins from this table, and the servers refuse everything else. All services
 * may write commit counters, marks and the feed, because every commit writes them. All services may read the record of the store and its time.
 */
export function rightsOf({ agents, toolsets }: DeploymentParts): readonly ServiceRights[] {
  const queues = queuesOf({ agents, toolsets });
  return [
    service("gateway", {
      publishes: [topics.runWake, topics.operationsReplay],
      documents: {
        writes: ["origin", "inbox", "ticket", "rate.gateway", "replay", "answer.*"],
        reads: ["conversation", "run", "call", "profile", "registry.*", "question.*", "dead", "hook.agent"],
      },
      logs: { reads: ["transcript", "events"] },
      live: { reads: ["live"] },
      indexes: { writes: ["index.runs.*"], reads: ["index.registry", "index.dead", "index.dead.*", "index.hooks.agent"] },
      rows: ["gateway"],
      blobs: "read",
    }),
    service("agent", {
      publishes: [topics.runWake, topics.approvalRequest, topics.approvalCancel, ...toolsets.map(topics.invoke)],
      consumes: [
        topics.runWake,
        ...agents.flatMap((agent) => [topics.result(agent), topics.approvalHeld(agent), topics.approvalDecided(agent)]),
      ],
      announces: [topics.toolCancel, topics.toolRefresh, topics.mcpMetadataRefresh],
      listens: [...agents.map(topics.progress), topics.mcpServersIndexed],
      documents: {
        writes: ["conversation", "run", "call", "stop", "context", "budget", "working", "profile", "summary", "hook.agent"],
        reads: ["origin", "inbox", "registry.*", "ledger.*", "question.*"],
      },
      logs: { writes: ["transcript", "events"] },
      live: { writes: ["live"] },
      indexes: { writes: ["index.agents", "index.hooks.agent"], reads: ["index.registry"] },
      rows: ["agent"],
      blobs: "write",
    }),
    service("approvals", {
      publishes: [...agents.flatMap((agent) => [topics.approvalHeld(agent), topics.approvalDecided(agent)]), ...toolsets.map(topics.plan)],
      consumes: [topics.approvalRequest, topics.approvalCancel, topics.approvalRollback, topics.approvalPlanned],
      listens: [topics.toolAnnounce],
      documents: {
        writes: ["approval", "token", "audit", "pin", "policy", "era", "quota", "rate.approvals", "removal", "hook.approvals"],
        reads: ["origin", "inbox", "registry.*", "security"],
      },
      logs: { writes: ["audit"], reads: ["security"] },
      indexes: { writes: ["index.approvals.*", "index.removals", "index.hooks.approvals"], reads: ["index.registry"] },
      rows: ["approvals"],
      keepsTime: true,
    }),
    ...toolsets.map((toolset) =>
      service(
        workerOf(toolset),
        {
          publishes: [...agents.map(topics.result), topics.approvalPlanned],
          consumes: [topics.invoke(toolset), topics.plan(toolset)],
          announces: [topics.toolAnnounce, ...agents.map(topics.progress), ...(toolset === MCP_TOOLSET ? [topics.mcpServersIndexed] : [])],
          listens: [topics.toolCancel, topics.toolRefresh, ...(toolset === MCP_TOOLSET ? [topics.mcpMetadataRefresh] : [])],
          documents: {
            writes: [`registry.${toolset}`, `ledger.${toolset}`, `question.${toolset}`, ...(toolset === GUIDES ? ["skill"] : [])],
            // Only the tenant in the origin of a run decides which skills its calls see.
            reads: [
              "registry.*",
              "stop",
              `answer.${toolset}`,
              ...(toolset === GUIDES ? ["origin"] : []),
              // The search of the bridge uses the words of the summaries.
              ...(toolset === MCP_TOOLSET ? ["summary"] : []),
            ],
          },
          // This index lists the registered tools of all toolsets. A service that damages this index can only cause a denial of service.
          indexes: { writes: ["index.registry"] },
          blobs: "write",
        },
        `worker.${toolset}`,
      ),
    ),
    service(OPERATIONS, {
      // A replay sends the message to its queue again.
      publishes: queues,
      consumes: [topics.operationsReplay, ...queues.map(topics.dead)],
      listens: [topics.toolAnnounce, topics.toolRefresh],
      // The service removes registrations for an operator, if approvals signed the request. The toolset's own workers may no longer exist.
      documents: { writes: ["dead", "registry.*"], reads: ["replay", "removal", "origin", "security"] },
      logs: { reads: ["security"] },
      indexes: { writes: ["index.dead", "index.dead.*", "index.registry", "index.removals"], reads: ["index.agents"] },
    }),
  ];
}

/** Returns a deployment with only the default agent. */
export function oneAgent(toolsets: readonly string[]): DeploymentParts {
  return { agents: [DEFAULT_AGENT], toolsets: toolsets.filter((toolset) => toolset !== OPERATIONS) };
}

type Row = Partial<TopicRights> & {
  readonly [kind in "documents" | "logs" | "live" | "indexes"]?: Partial<Access>;
} & Partial<Pick<StoreRights, "rows" | "blobs" | "keepsTime">>;

/**
 * Returns a row of the table with the rights that every service has. Each may report a loss, read pins and the era, and add to the security records
 * under its own name.
 */
function service(name: string, row: Row, recordedAs: string = name): ServiceRights {
  const { documents, logs } = row;
  return {
    service: name,
    topics: {
      publishes: [...new Set([...(row.publishes ?? []), topics.approvalRollback])],
      consumes: row.consumes ?? [],
      announces: row.announces ?? [],
      listens: row.listens ?? [],
    },
    store: {
      documents: {
        writes: [...(documents?.writes ?? []), `security:${recordedAs}.head`],
        reads: [...(documents?.reads ?? []), "pin", "era"],
      },
      logs: { writes: [...(logs?.writes ?? []), `security:${recordedAs}`], reads: logs?.reads ?? [] },
      live: access(row.live),
      indexes: access(row.indexes),
      rows: row.rows ?? [],
      blobs: row.blobs ?? "none",
      keepsTime: row.keepsTime ?? false,
    },
  };
}

function access(part: Partial<Access> | undefined): Access {
  return { writes: part?.writes ?? [], reads: part?.reads ?? [] };
}

/** Returns whether the names include this family, index or id. */
export function isNamed(names: readonly string[], family: string, id = ""): boolean {
  return names.some((name) => {
    const [wanted = "", only] = name.split(":");
    const isFamily = wanted.endsWith("*") ? family.startsWith(wanted.slice(0, -1)) : family === wanted;
    return isFamily && (only === undefined || only === id);
  });
}

/** A right that a check tried with a login. */
export interface TriedRight {
  /** The action that was tried, such as `write approval`. It follows "may" or "may not" in a sentence. */
  readonly what: string;
  readonly expected: "allowed" | "refused";
  readonly found: "allowed" | "refused";
}

/**
 * Returns the names that a check tries. They include every kind of name in the store of such a deployment, and some names that belong to no service.
 */
export function storeNames({ toolsets }: DeploymentParts): { readonly families: readonly string[]; readonly indexes: readonly string[] } {
  const ofToolsets = [...toolsets, "stranger"].flatMap((toolset) =>
    ["registry", "ledger", "question", "answer"].map((family) => `${family}.${toolset}`),
  );
  return {
    families: [
      ...FAMILIES,
      ...ofToolsets,
      "rate.gateway",
      "rate.approvals",
      "rate.stranger",
      "hook.agent",
      "hook.approvals",
      "hook.stranger",
    ],
    indexes: [
      "registry",
      "agents",
      "dead",
      "dead.queue",
      "approvals.pending",
      "removals",
      "runs.somebody",
      "hooks.agent",
      "hooks.approvals",
      "stranger",
    ].map((name) => `index.${name}`),
  };
}

/** The compiler reports a family that is missing here. */
const FAMILIES = Object.keys({
  origin: 0,
  inbox: 0,
  ticket: 0,
  conversation: 0,
  run: 0,
  call: 0,
  stop: 0,
  transcript: 0,
  context: 0,
  events: 0,
  live: 0,
  budget: 0,
  working: 0,
  profile: 0,
  approval: 0,
  token: 0,
  audit: 0,
  pin: 0,
  policy: 0,
  era: 0,
  quota: 0,
  security: 0,
  dead: 0,
  replay: 0,
  removal: 0,
  skill: 0,
  summary: 0,
} satisfies Record<PlainFamily, 0>) as readonly PlainFamily[];

/** The families without a dot and the name of a service or a toolset. */
type PlainFamily = Exclude<Family, `${string}.${string}`>;
