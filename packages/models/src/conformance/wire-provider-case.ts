import type { ModelServer } from "@toolbus/model-servers";
import type { ModelProvider } from "../model-provider.ts";

/** A provider behind its vendor's wire protocol. */
export interface WireProviderCase {
  /** The vendor's server, a new one for each test. */
  start(): Promise<ModelServer>;
  /** The provider that talks to it about its one model, with its key or with another one. */
  open(server: ModelServer, key?: string): ModelProvider;
  readonly features: WireFeatures;
}

/** What the vendor supports. Its adapter is not tested for the rest. */
export interface WireFeatures {
  /** Which choices reach the model as such; an adapter enforces the others as far as it can. */
  readonly toolChoices: readonly ("none" | "required" | "named")[];
  readonly parallelCalls: boolean;
  /** A failed result is marked as one. */
  readonly marksFailures: boolean;
  /** Thinking comes signed and must go back unchanged. */
  readonly signedThinking: boolean;
  /** It may stop and continue later. */
  readonly pauses: boolean;
  /** The status with which it says that it is overloaded. */
  readonly overloaded: number;
  /** It checks no key, so none is wrong. */
  readonly keyless?: true;
}
