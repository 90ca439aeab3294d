import type { ToolOutput } from "@toolbus/tool-kit";

/** The shop as a dependency. All tools that ask the shop share its breaker. */
export const SHOP = { name: "shop", p99Ms: 2000, concurrent: 16 } as const;

/** The system that this worker acts on. If the shop refuses something, the result is a problem in words for the model. */
export interface Shop {
  /** Looks something up. `path` is relative to the shop's address. */
  look(path: string, signal: AbortSignal): Promise<ToolOutput>;
  /**
   * Changes something in the shop. If the shop refuses, the returned problem says that nothing happened. Throws if it is not known whether the shop
   * made the change.
   */
  change(change: Change, signal: AbortSignal): Promise<ToolOutput>;
  /** Returns one text that says why the shop cannot be used and what to do. Returns null if the shop can be used. Changes nothing. */
  fault(signal: AbortSignal): Promise<string | null>;
}

export interface Change {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: { readonly [name: string]: string | number };
  /** The Idempotency-Key, for the routes that accept one. */
  readonly key?: string;
}
