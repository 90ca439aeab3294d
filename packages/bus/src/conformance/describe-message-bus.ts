import { describe, it } from "vitest";
import type { BusCase, BusFeatures } from "./bus-case.ts";
import { busCases } from "./bus-cases.ts";
import { type OpenBus, type RefuseIn, runCase } from "./run-case.ts";

export interface MessageBusOptions {
  /** Opens a bus in a namespace that is isolated from all others. A stop of the bus waits up to `drainMs` for handlers. */
  readonly open: OpenBus;
  readonly features: BusFeatures;
  /** Refuses the replacements that `features.refusable` lists. */
  readonly refuse?: RefuseIn;
  /** The names of the cases that this adapter cannot pass, each with the reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
}

/** Declares the contract of the port as tests. Every adapter's tests call it. It omits the cases for features that the adapter lacks. */
export function describeMessageBus(name: string, { open, refuse, features, skip = [] }: MessageBusOptions): void {
  const wanted = busCases.filter(({ needs }) => !needs || needs(features));
  for (const { test } of skip) {
    if (!wanted.some((busCase) => busCase.name === test)) throw new Error(`There is no case "${test}" that ${name} could skip.`);
  }
  describe(`message bus: ${name}`, () => {
    for (const [area, cases] of Object.entries(Object.groupBy(wanted, (busCase) => busCase.area))) {
      describe(area, () => {
        for (const busCase of cases ?? []) declare(busCase);
      });
    }
  });

  function declare(busCase: BusCase): void {
    const skipped = skip.find((entry) => entry.test === busCase.name);
    if (skipped) return it.skip(`${busCase.name} (${skipped.reason})`);
    it.concurrent(busCase.name, () => runCase(busCase, { open, refuse, namespace: namespaceOf(name, busCase), patienceMs: PATIENCE_MS }));
  }
}

const PATIENCE_MS = 10_000;

function namespaceOf(name: string, { area, name: caseName }: BusCase): string {
  return `${name}-${area}-${caseName}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
