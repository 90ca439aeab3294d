import type { ModelFacts } from "../facts/model-facts.ts";
import type { AnswerBounds } from "./answer-bounds.ts";

/** The settings of an adapter. The adapter does not read the environment, because the code that connects a model does that. */
export interface AdapterSettings {
  /** The vendor's name for the model. */
  readonly model: string;
  /** The API key. Null for a server that needs no key, such as a local one. */
  readonly apiKey: string | null;
  /** The base address, or null for the vendor's own. */
  readonly baseUrl: string | null;
  readonly facts: ModelFacts;
  /** The limits of an answer. `DEFAULT_BOUNDS` if absent. */
  readonly bounds?: AnswerBounds;
}
