import type { Observation } from "../ports/observation.ts";
import { approvers } from "./approvers.ts";
import type { PeopleOptions, Request } from "./persons.ts";
import { requester } from "./requester.ts";

/** The people of a world: one who asks for runs, cancels some and answers questions, and those who decide held writes. */
export interface People {
  /** Sends requests until all were accepted or refused. */
  ask(request: Request): void;
  /** What they notice about the world. */
  notice(observation: Observation): void;
  /** How many requests have not been answered yet. */
  readonly asking: number;
}

export function people(options: PeopleOptions): People {
  const rita = requester(options);
  const others = approvers(options);
  let asking = 0;
  return {
    ask(request) {
      asking++;
      void rita.ask(request).finally(() => asking--);
    },
    notice(observation) {
      if (observation.kind !== "commit") return;
      const { put = [], append = [] } = observation.change;
      for (const { key, value } of put) if (key.startsWith("tb:approval:")) others.notice(value);
      for (const { log, entries } of append) if (log.startsWith("tb:events:")) rita.notice(log.slice(log.indexOf("}:") + 2), entries);
    },
    get asking() {
      return asking;
    },
  };
}
