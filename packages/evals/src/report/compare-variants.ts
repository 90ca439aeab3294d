import type { SuiteResult } from "../result/suite-result.ts";
import { comparePairs, type Pair, type PairedComparison } from "../statistics/compare-pairs.ts";
import type { RandomSource } from "../statistics/random-source.ts";
import { type ScenarioOutcome, scenarioOutcomes } from "./scenario-outcome.ts";

/** One variant of one result. */
export interface Side {
  readonly result: SuiteResult;
  readonly variant: string;
}

/** Two variants side by side. */
export interface VariantComparison extends PairedComparison {
  readonly first: string;
  readonly second: string;
  /** The scenarios that only one side has, that changed, or that could not be scored. They are in no pair. */
  readonly leftOut: readonly string[];
}

/**
 * Compares two variants over the scenarios that both have in the same form. With repeats, a scenario counts as passed if more than half of its scored
 * repeats passed.
 */
export function compareVariants(first: Side, second: Side, random: RandomSource): VariantComparison {
  const [before, after] = [first, second].map(
    ({ result, variant }) => new Map(scenarioOutcomes(result, variant).map((one) => [one.id, one])),
  );
  const ids = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])];
  const pairs = ids.flatMap((id): readonly (readonly [string, Pair])[] => {
    if (first.result.scenarioHashes[id] !== second.result.scenarioHashes[id]) return [];
    const [one, other] = [measureOf(before?.get(id)), measureOf(after?.get(id))];
    return one === null || other === null ? [] : [[id, { first: one, second: other }]];
  });
  const compared = new Set(pairs.map(([id]) => id));
  return {
    first: first.variant,
    second: second.variant,
    leftOut: ids.filter((id) => !compared.has(id)),
    ...comparePairs(
      pairs.map(([, pair]) => pair),
      random,
    ),
  };
}

function measureOf(outcome: ScenarioOutcome | undefined): Pair["first"] | null {
  if (outcome === undefined || outcome.passShare === null) return null;
  return { passed: outcome.passShare > 0.5, value: outcome.meanScore ?? outcome.passShare };
}
