import { isRunEnd } from "@toolbus/contracts";
import type { Arena } from "./arena.ts";

/** Another user's runs while a system is attacked, one after another. Policy grants the write of each run. */
export interface OthersRuns {
  /** Starts no more runs, and returns how each run ended. A good run ended with "run.completed ok". There are at least four runs. */
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
