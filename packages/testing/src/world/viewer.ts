import { sleep } from "./http-door.ts";
import { type PeopleOptions } from "./persons.ts";
import { type Told, watchOver } from "./stream-door.ts";

/** Somebody who watches runs, each until its end: after a cut she comes back with the last event that she has. */
export interface Viewer {
  /** Never rejects. */
  watch(runId: string): Promise<void>;
}

/** How long a browser waits before it comes back, as the gateway asks. */
const COMES_BACK_MS = 500;
/** More often than any world cuts her off. */
const PATIENCE = 10_000;

export function viewer({ wire, observe, random, gateways, habits }: Omit<PeopleOptions, "approvals">): Viewer {
  const { clockwork } = wire;
  return {
    async watch(runId) {
      let lastEventId: string | null = null;
      const onEvent = ({ id, type, data }: Told): void => {
        if (id === null) return;
        lastEventId = id;
        observe({ kind: "told", at: clockwork.now, runId, id, type, data });
      };
      const onFault = (error: string): void => observe({ kind: "fault", at: clockwork.now, process: "the gateway", error });
      for (let attempt = 0; attempt < PATIENCE; attempt++) {
        const cutAfterMs = random.chance(habits.hangsUp) ? random.magnitude(10, 30_000) : null;
        if ((await watchOver(wire, { served: gateways(), runId, lastEventId, cutAfterMs, onEvent, onFault })) === "over") return;
        await sleep(wire, COMES_BACK_MS);
      }
    },
  };
}
