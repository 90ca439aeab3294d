import type { MessageBus } from "@toolbus/bus";
import { metricNames, observeGauge } from "@toolbus/telemetry";
import { type Need, whyNot } from "./http/health-routes.ts";

export interface HealthGauges {
  /** Returns why this process accepts no work, as `/readyz` does. */
  readonly unready: () => readonly string[];
  readonly bus: Pick<MessageBus, "unready">;
  /** The check of the store that `/readyz` uses too, which makes at most one small write in two seconds. */
  readonly storeNeed: Need;
}

/** Measures whether this process, its bus and its store work, as `/readyz` would answer. Returns a function that stops this. */
export function observeHealth({ unready, bus, storeNeed }: HealthGauges): () => void {
  const unmeasure = [
    observeGauge(metricNames.ready, async () => (unready().length === 0 && (await works(storeNeed)) ? 1 : 0)),
    observeGauge(metricNames.busReady, async () => (bus.unready().length === 0 ? 1 : 0)),
    observeGauge(metricNames.stateReady, async () => ((await works(storeNeed)) ? 1 : 0)),
  ];
  return () => {
    for (const stop of unmeasure) stop();
  };
}

async function works(need: Need): Promise<boolean> {
  return (await whyNot(need)) === null;
}
