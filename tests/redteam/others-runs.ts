import { isRunEnd } from "@toolbus/contracts";
import type { Arena } from "./arena.ts";

/** What another user does while a system is attacked: runs with a write that policy grants, one after another. */
export interface OthersRuns {
  /** Starts no more runs, and returns how each ended: "run.completed ok" is a good one. There are at least four. */
  end(): Promise<readonly string[]>;
}

const LEAST = 4;

export function othersRuns(arena: Arena): OthersRuns {
  let going = true;
  const ends = (async () => {
    const all: string[] = [];
    for (let n = 1; going || all.length < LEAST; n++) {
      const { runId } = await arena.asked("low", { payee: `P${n}`, amount: n }, { as: "clerk" });
      const events = await arena.ended(runId);
      const call = events.find((event) => event.type === "call.resolved");
      all.push(`${events.find((event) => isRunEnd(event))?.type ?? "no end"} ${call?.status ?? "no call"}`);
    }
    return all;
  })();
  // The attack waits for it at the end.
  ends.catch(() => undefined);
  return {
    end() {
      going = false;
      return ends;
    },
  };
}
