import type { StateStore } from "../state-store.ts";

/** A fresh store for one case, with control over its clock. */
export interface OpenedStore {
  readonly store: StateStore;
  /** Advances the store's clock by this many milliseconds. */
  advance(ms: number): void | Promise<void>;
  /** Opens the stored data again after the store was closed. Only durable stores have this method. */
  reopen?(): Promise<StateStore>;
}

/** The optional features of an adapter, beyond the port. They do not name the adapter. */
export interface StateStoreFeatures {
  /** Committed data survives the process. */
  readonly durable: boolean;
}

/** One sentence of the contract. `check` rejects if the store breaks it. */
export interface ConformanceCase {
  readonly area: string;
  readonly name: string;
  /** The feature that the sentence requires. The case is skipped for adapters without the feature. */
  readonly needs?: keyof StateStoreFeatures;
  check(opened: OpenedStore): Promise<void>;
}

/** The sentences of one area, each with its check. */
export type Checks = Readonly<Record<string, ConformanceCase["check"]>>;
