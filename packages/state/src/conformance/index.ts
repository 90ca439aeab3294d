import { describe, it } from "vitest";
import type { StateStore } from "../state-store.ts";
import type { ConformanceCase, OpenedStore, StateStoreFeatures } from "./case.ts";
import { stateStoreCases } from "./cases.ts";

export interface StateStoreSuite {
  /** Opens a fresh, empty store for one case. The suite closes it. */
  open(): Promise<OpenedStore>;
  readonly features: StateStoreFeatures;
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
}

/** Proves that an adapter fulfils the contract of the state store. Each sentence of the contract is one test. */
export function describeStateStore(name: string, { open, features, skip = [] }: StateStoreSuite): void {
  const promised = stateStoreCases.filter(({ needs }) => !needs || features[needs]);
  for (const { test } of skip) {
    if (!promised.some((one) => one.name === test)) throw new Error(`No case "${test}" to skip for ${name}.`);
  }
  describe(`state store: ${name}`, () => {
    for (const one of promised) {
      const skipped = skip.find(({ test }) => test === one.name);
      const declare = skipped ? it.skip : it;
      declare(`${one.area}: ${one.name}${skipped ? ` (skipped: ${skipped.reason})` : ""}`, () => checkCase(one, open));
    }
  });
}

/** Checks one sentence on a fresh store, and closes every store that it opened. Rejects if the store breaks the sentence. */
export async function checkCase(one: ConformanceCase, open: StateStoreSuite["open"]): Promise<void> {
  const opened = await open();
  const { reopen } = opened;
  const stores = [opened.store];
  try {
    await one.check(reopen ? { ...opened, reopen: () => openedAgain(reopen) } : opened);
  } finally {
    for (const store of stores) await store.close();
  }

  async function openedAgain(reopen: NonNullable<OpenedStore["reopen"]>): Promise<StateStore> {
    await opened.store.close();
    const store = await reopen();
    stores.push(store);
    return store;
  }
}

export type { ConformanceCase, OpenedStore, StateStoreFeatures } from "./case.ts";
export { stateStoreCases } from "./cases.ts";
