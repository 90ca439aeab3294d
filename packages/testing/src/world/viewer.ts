import { sleep } from "./http-door.ts";
import { type PeopleOptions } from "./persons.ts";
import { type StreamedEvent, watchOver } from "./stream-door.ts";

/** A person who watches runs, each until its end. After an interruption, the viewer reconnects with the id of the last received event. */
export interface Viewer {
  /** Watches a run until its end. Never rejects. */
  watch(runId: string): Promise<void>;
}

/** How long a browser waits before it reconnects. The gateway requests this time. */
const COMES_BACK_MS = 500;
/** More reconnects than any world causes. */
const PATIENCE = 10_000;

export function viewer({ wire, observe, random, gateways, habits }: Omit<PeopleOptions, "approvals">): Viewer {
  const { clockwork } = wire;
  return {
    async watch(runId) {
      let lastEventId: string | null = null;
      const onEvent = ({ id, type, data }: StreamedEvent): void => {
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
