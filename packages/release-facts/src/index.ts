export { line } from "./clean-text.ts";
export { type FactsFilter } from "./facts-filter.ts";
export { type FactsPage, type FactsSelection, LARGEST_PAGE, pageOfFacts } from "./facts-page.ts";
export { type Git, GitFailed, gitIn } from "./git-command.ts";
export { compactFacts, LARGEST_FACTS } from "./compact-facts.ts";
export { type FactsLimits, type FactsOptions, readReleaseFacts } from "./read-release-facts.ts";
export type { FactsProblem, RefusedFacts } from "./refused-facts.ts";
export { type FileKind, fileKinds, parseReleaseFacts, type ReleaseFacts } from "./release-facts.ts";
export { seriesOf, versionOf } from "./version-step.ts";
