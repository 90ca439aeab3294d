import { isRunEnd } from "@toolbus/contracts";
import type { Arena } from "./arena.ts";

/** Runs of another user while a system is attacked, one after another. Policy grants the write of each run. */
export interface OthersRuns {
  /** Starts no more runs. Returns how each run ended, for at least four runs. A good run ended with "run.completed ok". */
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
  // A caller of `end` handles a rejection.
  ends.catch(() => undefined);
  return {
    end() {
      going = false;
      return ends;
    },
  };
}
