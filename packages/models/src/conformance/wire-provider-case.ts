import type { ModelServer } from "@toolbus/model-servers";
import type { ModelProvider } from "../model-provider.ts";

/** A provider behind its vendor's wire protocol. */
export interface WireProviderCase {
  /** The vendor's server, anew for each test. */
  start(): Promise<ModelServer>;
  /** The provider that talks to it about its one model, with its key or with another one. */
  open(server: ModelServer, key?: string): ModelProvider;
  readonly features: WireFeatures;
}

/** What the vendor can be told, or tells. What it cannot is not asked of its adapter. */
export interface WireFeatures {
  /** Which choices reach the model as such; the others hold as far as an adapter can hold them. */
  readonly toolChoices: readonly ("none" | "required" | "named")[];
  readonly parallelCalls: boolean;
  /** A result that is a failure is marked as one. */
  readonly marksFailures: boolean;
  /** Thinking comes signed and must go back as it was. */
  readonly signedThinking: boolean;
  /** It may stop to go on later. */
  readonly pauses: boolean;
  /** The status with which it says that it is overloaded. */
  readonly overloaded: number;
  /** It looks at no key, so that none is wrong. */
  readonly keyless?: true;
}
