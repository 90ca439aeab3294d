import type { StateStore } from "../state-store.ts";

/** A fresh store of its own for one case, with its clock in hand. */
export interface OpenedStore {
  readonly store: StateStore;
  /** Lets so many milliseconds pass on the store's clock. */
  advance(ms: number): void | Promise<void>;
  /** Opens what the store has kept, after it was closed. Durable stores have it. */
  reopen?(): Promise<StateStore>;
}

/** What an adapter can do beyond the port, never which adapter it is. */
export interface StateStoreFeatures {
  /** What was committed survives the process. */
  readonly durable: boolean;
}

/** One sentence of the contract: `check` rejects when the store does not keep it. */
export interface ConformanceCase {
  readonly area: string;
  readonly name: string;
  /** The feature without which the sentence is not promised. */
  readonly needs?: keyof StateStoreFeatures;
  check(opened: OpenedStore): Promise<void>;
}

/** The sentences of one area, each with its check. */
export type Checks = Readonly<Record<string, ConformanceCase["check"]>>;
