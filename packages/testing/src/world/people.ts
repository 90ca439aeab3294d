import type { Observation } from "../ports/observation.ts";
import { approvers } from "./approvers.ts";
import type { PeopleOptions, Request } from "./persons.ts";
import { requester } from "./requester.ts";

/** The people of a world. One asks for runs, cancels some and answers questions. The others decide held writes. */
export interface People {
  /** Sends a request, and retries it until the gateway accepts or refuses it. */
  ask(request: Request): void;
  /** Handles what people notice about the world. */
  notice(observation: Observation): void;
  /** The number of requests that have not been answered yet. */
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
