import { whyAbsent } from "../absent-server.ts";
import type { Conditions, Results, Requests } from "../benchmark.ts";
import { tableOfGoals } from "../goal.ts";
import { onGround, type RunLoad } from "./ground.ts";
import { inProcess } from "./in-process.ts";
import { CHAINS, overBroker } from "./over-broker.ts";

const LOAD: RunLoad = { count: 64, inFlight: 32 };

/**
 * Measures runs of five tool rounds and an answer on a stub of a model. Toolbus runs go through the gateway's core and an agent, with state on Redis.
 * They are compared with a hand-written loop that stores one checkpoint per round on the same Redis. The tools are first in the process of the loop,
 * and then behind each available broker. Also counts the requests of one run to its store.
 */
export async function runLoop(
  conditions: Conditions,
  { servers, before }: Pick<Requests, "servers" | "before">,
  load: RunLoad = LOAD,
): Promise<Results> {
  return onGround(servers.redis, conditions, load, before, async (ground) => {
    const { rows: here, note } = await inProcess(ground);
    const rows = [...here];
    const notes = [...ground.redis.notes, note];
    for (const chain of CHAINS) {
      const url = servers[chain.kind];
      const absent = await whyAbsent(chain.kind, url);
      if (absent === null) rows.push(...(await overBroker(chain, url, ground)));
      else notes.push(`${absent} Its row is left out.`);
    }
    return { rows, table: tableOfGoals(rows), notes };
  });
}
