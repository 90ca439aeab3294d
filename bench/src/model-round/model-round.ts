import { whyAbsent } from "../absent-server.ts";
import type { Conditions, Results, Requests } from "../benchmark.ts";
import { tableOfGoals } from "../goal.ts";
import { runRedis } from "../run-loop/run-redis.ts";
import { installPeers } from "../tool-call/install-peers.ts";
import { adapterRows, tableOfAdapters } from "./adapter-rows.ts";
import type { ContenderName } from "./contenders.ts";
import { type Ground, onGround } from "./ground.ts";
import { type Loads, type Match, type MatchResults, roundRows } from "./round-rows.ts";

// docs/performance.md gives the sources of the targets.
const BY_HAND: readonly Match[] = [{ ours: "Toolbus", theirs: "the loop by hand", targets: { together: 0.8 } }];

const PEERS: readonly Match[] = [
  { ours: "Toolbus", theirs: "LangGraph on PostgreSQL", targets: { alone: 8, together: 10 } },
  { ours: "Toolbus", theirs: "LangGraph in memory", targets: { alone: 3.5, together: 5 } },
  { ours: "Toolbus", theirs: "DBOS", targets: { alone: 4, together: 5 } },
  { ours: "Toolbus", theirs: "AI SDK", targets: { together: 1.4 } },
  { ours: "Toolbus", theirs: "OpenAI Agents", targets: { together: 2.3 } },
  { ours: "Toolbus", theirs: "Mastra", targets: { together: 6.5 } },
  { ours: "Toolbus, read as it streams", theirs: "AI SDK, streamed", targets: { together: 2 } },
  { ours: "Toolbus, read as it streams", theirs: "LangGraph in memory, streamed", targets: { together: 5 } },
];

const ON_POSTGRES: readonly ContenderName[] = ["LangGraph on PostgreSQL", "DBOS"];

const LOADS: Loads = { together: { count: 64, inFlight: 32 }, alone: { count: 4, inFlight: 1 }, calls: 50 };

type Asked = Pick<Requests, "servers" | "peers">;

/**
 * Measures runs of five tool rounds and an answer, which are six model calls, on a stub of a model. Toolbus runs have their state on Redis and use
 * the real adapter for OpenAI. They are compared with a hand-written loop over OpenAI's client. If `peers` is set, they are also compared with other
 * libraries. The benchmark also compares one call of the OpenAI and Anthropic adapters with the same call through `fetch` or the vendor's SDK.
 */
export async function modelRound(conditions: Conditions, asked: Asked, loads: Loads = LOADS): Promise<Results> {
  return onGround(conditions, async (ground) => {
    const { rows, notes } = await wholeRuns(ground, asked, loads);
    const adapters = await adapterRows(ground, loads.calls);
    const tables = [...(rows.length > 0 ? [tableOfGoals(rows)] : []), tableOfAdapters(adapters)];
    return { rows: [...rows, ...adapters], table: tables.join("\n"), notes };
  });
}

async function wholeRuns(ground: Ground, asked: Asked, loads: Loads): Promise<MatchResults> {
  const { signal } = ground.conditions;
  const redis = await runRedis(asked.servers.redis, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  });
  if (typeof redis === "string") return { rows: [], notes: [`${redis} The rows with whole runs are left out.`] };
  try {
    const { matches, notes } = await matchesFor(asked, signal);
    const results = await roundRows(matches, { ...ground, redis, postgresUrl: asked.servers.postgres, loads });
    return { rows: results.rows, notes: [...redis.notes, ...notes, ...results.notes] };
  } finally {
    await redis.stop();
  }
}

/** Returns the contenders that can be measured, with a sentence about each one that cannot. */
async function matchesFor(
  { servers, peers }: Asked,
  signal: AbortSignal,
): Promise<{ readonly matches: readonly Match[]; readonly notes: readonly string[] }> {
  if (!peers) return { matches: BY_HAND, notes: ["The rows against other libraries are left out: --peers installs and measures them."] };
  try {
    await installPeers(signal);
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    return { matches: BY_HAND, notes: [`${words} The rows against other libraries are left out.`] };
  }
  const absent = await whyAbsent("postgres", servers.postgres);
  if (absent === null) return { matches: [...BY_HAND, ...PEERS], notes: [] };
  const without = PEERS.filter(({ theirs }) => !ON_POSTGRES.includes(theirs));
  return { matches: [...BY_HAND, ...without], notes: [`${absent} The rows against ${ON_POSTGRES.join(" and ")} are left out.`] };
}
