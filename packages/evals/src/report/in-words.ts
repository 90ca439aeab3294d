import { counted } from "@toolbus/contracts";
import type { Change } from "../baseline/change.ts";
import type { NotCompared } from "../baseline/compare-baseline.ts";
import type { Interval } from "../statistics/interval.ts";
import type { VariantComparison } from "./compare-variants.ts";

/** Returns a share as a percentage with one decimal, such as `83.3 %`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Returns an interval of shares, such as `60.1 % to 94.0 %`, or the words for an unknown one. */
export function percentRange(interval: Interval | null): string {
  return interval === null ? "interval unknown" : `${percent(interval.low)} to ${percent(interval.high)}`;
}

/** Returns an amount of US dollars, or `unknown`. Small amounts keep their digits. */
export function dollars(microUsd: number | null): string {
  if (microUsd === null) return "unknown";
  return `${(microUsd / 1_000_000).toFixed(microUsd > 0 && microUsd < 10_000 ? 6 : 4)} USD`;
}

/** Returns a change in one sentence. */
export function changeInWords(change: Change): string {
  const { scenario, variant, score, before, now, relative, interval, uncertain, advisory } = change;
  const where = `${scenario ?? "all compared scenarios"}${variant === "default" ? "" : ` (${variant})`}`;
  const size = relative === null ? "from 0" : `${relative < 0 ? "" : "+"}${percent(relative)}`;
  const reach = interval === null ? "" : `, and the change is between ${interval.low.toFixed(3)} and ${interval.high.toFixed(3)}`;
  const doubt = uncertain ? ", so it is uncertain" : "";
  return `${where}: ${score} was ${before.toFixed(3)} and is ${now.toFixed(3)} (${size})${reach}${doubt}${advisory ? " (advisory)" : ""}`;
}

const REASONS: Readonly<Record<NotCompared["why"], string>> = {
  new: "is new",
  gone: "is gone",
  changed: "has changed",
  error: "could not be scored",
};

/** Returns why a scenario was not compared. */
export function notComparedInWords({ scenario, variant, why }: NotCompared): string {
  return `${scenario}${variant === "default" ? "" : ` (${variant})`} ${REASONS[why]}`;
}

/** Returns the comparison of two variants in one sentence for each test. */
export function comparisonInWords(compared: VariantComparison): readonly string[] {
  const { first, second, pairs, onlyFirst, onlySecond, p, difference, interval, leftOut } = compared;
  if (difference === null) return [`${first} and ${second} have no scenario in common, so they cannot be compared.`];
  const reach = interval === null ? "its interval is unknown" : `95 % interval ${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;
  const sure = interval !== null && (interval.low > 0 || interval.high < 0);
  return [
    `Of ${counted(pairs, "scenario")}, ${onlyFirst} passed only with ${first} and ${onlySecond} only with ${second} (McNemar's exact p = ${p.toFixed(4)}).`,
    `The mean score of ${second} is ${Math.abs(difference).toFixed(3)} ${difference < 0 ? "lower" : "higher"} (${reach})${sure ? "." : ", so no difference is shown."}`,
    ...(leftOut.length === 0 ? [] : [`${counted(leftOut.length, "scenario")} could not be compared: ${leftOut.join(", ")}.`]),
  ];
}
