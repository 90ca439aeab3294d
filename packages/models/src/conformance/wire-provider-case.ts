import type { ModelServer } from "@toolbus/model-servers";
import type { ModelProvider } from "../model-provider.ts";

/** A provider behind its vendor's wire protocol. */
export interface WireProviderCase {
  /** Starts a new server of the vendor for each test. */
  start(): Promise<ModelServer>;
  /** Returns a provider for the server's one model, with the server's key or with another key. */
  open(server: ModelServer, key?: string): ModelProvider;
  readonly features: WireFeatures;
}

/** The features that the vendor supports. The adapter is not tested for other features. */
export interface WireFeatures {
  /** The choices that the vendor's protocol supports. An adapter enforces the other choices as far as it can. */
  readonly toolChoices: readonly ("none" | "required" | "named")[];
  readonly parallelCalls: boolean;
  /** True if the protocol can mark a result as failed. */
  readonly marksFailures: boolean;
  /** True if the vendor signs thinking and requires it back unchanged. */
  readonly signedThinking: boolean;
  /** True if the model may pause a turn and continue it later. */
  readonly pauses: boolean;
  /** The status of an overloaded vendor. */
  readonly overloaded: number;
  /** True if the vendor checks no key. The tests then expect no error for a wrong key. */
  readonly keyless?: true;
}
