export { compactFacts, LARGEST_FACTS } from "./compact-facts.ts";
export { type FactsLimits, type FactsOptions, readReleaseFacts } from "./read-release-facts.ts";
export type { FactsProblem, RefusedFacts } from "./refused-facts.ts";
export { parseReleaseFacts, type ReleaseFacts } from "./release-facts.ts";
