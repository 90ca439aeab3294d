import type { ModelFacts } from "../facts/model-facts.ts";
import type { AnswerBounds } from "./answer-bounds.ts";

/** What an adapter is made of. It reads no environment: whoever connects a model does. */
export interface AdapterSettings {
  /** As the vendor names it. */
  readonly model: string;
  /** Null where none is needed, as with a local server. */
  readonly apiKey: string | null;
  /** Another address than the vendor's own; null for the vendor's. */
  readonly baseUrl: string | null;
  readonly facts: ModelFacts;
  /** What an answer may take; `DEFAULT_BOUNDS` when absent. */
  readonly bounds?: AnswerBounds;
}
