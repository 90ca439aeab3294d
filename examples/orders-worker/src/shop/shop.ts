import type { ToolOutput } from "@toolbus/tool-kit";

/** The system that this worker acts on. Its refusals are problems in words for the model. */
export interface Shop {
  /** Looks something up. `path` is relative to the shop's address. */
  look(path: string, signal: AbortSignal): Promise<ToolOutput>;
  /** Changes something. A refusal says that nothing happened. Throws if nobody knows whether the shop made the change. */
  change(change: Change, signal: AbortSignal): Promise<ToolOutput>;
  /** Returns why the shop cannot be used and what to do, or null. Changes nothing. */
  fault(signal: AbortSignal): Promise<string | null>;
}

export interface Change {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: { readonly [name: string]: string | number };
  /** The Idempotency-Key, for the routes that have one. */
  readonly key?: string;
}
