import type { ModelFacts } from "../facts/model-facts.ts";
import type { AnswerBounds } from "./answer-bounds.ts";

/** The settings of an adapter. It reads no environment: the code that connects a model does. */
export interface AdapterSettings {
  /** The vendor's name for it. */
  readonly model: string;
  /** Null if none is needed, as with a local server. */
  readonly apiKey: string | null;
  /** An address other than the vendor's own; null for the vendor's. */
  readonly baseUrl: string | null;
  readonly facts: ModelFacts;
  /** Limits of an answer; `DEFAULT_BOUNDS` if absent. */
  readonly bounds?: AnswerBounds;
}
