import type { StateStore } from "../state-store.ts";

/** A fresh store for one case, with control over its clock. */
export interface OpenedStore {
  readonly store: StateStore;
  /** Lets so many milliseconds pass on the store's clock. */
  advance(ms: number): void | Promise<void>;
  /** Opens the stored data again, after the store was closed. Durable stores have it. */
  reopen?(): Promise<StateStore>;
}

/** What an adapter can do beyond the port; never which adapter it is. */
export interface StateStoreFeatures {
  /** Committed data survives the process. */
  readonly durable: boolean;
}

/** One sentence of the contract: `check` rejects if the store does not keep it. */
export interface ConformanceCase {
  readonly area: string;
  readonly name: string;
  /** The feature without which the sentence does not apply. */
  readonly needs?: keyof StateStoreFeatures;
  check(opened: OpenedStore): Promise<void>;
}

/** The sentences of one area, each with its check. */
export type Checks = Readonly<Record<string, ConformanceCase["check"]>>;
