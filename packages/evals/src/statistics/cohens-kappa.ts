import { type Interval, Z95 } from "./interval.ts";
import { wilsonInterval } from "./wilson.ts";

/** The weight of an agreement between two classes, from 0 (none) to 1 (full). `linear` and `quadratic` are for classes in an order. */
export type KappaWeights = "none" | "linear" | "quadratic" | readonly (readonly number[])[];

/** How far two raters agree. The kappa is null with a reason if it is undefined, and it is never NaN. */
export type Kappa =
  | {
      readonly kappa: number;
      readonly standardError: number;
      readonly interval: Interval;
      readonly agreement: number;
      /** The agreement that the raters would have by chance. */
      readonly expected: number;
      readonly pairs: number;
    }
  | { readonly kappa: null; readonly why: string; readonly agreement: number | null; readonly pairs: number };

/**
 * Returns Cohen's kappa of a square table: `table[i][j]` counts the items to which the first rater gave class i and the second class j. The standard
 * error is the one for large samples by Fleiss, Cohen and Everitt (1969). The interval is normal and ends at -1 and 1. Full agreement has the standard
 * error 0, which would make two equal pairs as certain as a thousand. Its interval therefore comes from Wilson's interval of the agreement.
 */
export function cohensKappa(table: readonly (readonly number[])[], weights: KappaWeights = "none"): Kappa {
  const size = table.length;
  const pairs = table.flat().reduce((sum, count) => sum + count, 0);
  if (pairs === 0) return { kappa: null, why: "There are no pairs of ratings.", agreement: null, pairs };
  const share = (i: number, j: number): number => (table[i]?.[j] ?? 0) / pairs;
  const weight = (i: number, j: number): number => weightOf(weights, i, j, size);
  const classes = Array.from({ length: size }, (_, n) => n);
  const rows = classes.map((i) => sumOf(classes, (j) => share(i, j)));
  const columns = classes.map((j) => sumOf(classes, (i) => share(i, j)));
  const cells = classes.flatMap((i) => classes.map((j) => ({ i, j, p: share(i, j), w: weight(i, j) })));

  const agreement = sumOf(cells, ({ p, w }) => p * w);
  const expected = sumOf(cells, ({ i, j, w }) => w * (rows[i] ?? 0) * (columns[j] ?? 0));
  if (1 - expected < 1e-12) {
    return { kappa: null, why: "Both raters used only one class, so agreement by chance cannot be told from agreement.", agreement, pairs };
  }
  const kappa = (agreement - expected) / (1 - expected);

  // The mean weight of each class of one rater under the classes of the other.
  const rowWeights = classes.map((i) => sumOf(classes, (j) => weight(i, j) * (columns[j] ?? 0)));
  const columnWeights = classes.map((j) => sumOf(classes, (i) => weight(i, j) * (rows[i] ?? 0)));
  const squares = sumOf(cells, ({ i, j, p, w }) => p * (w - ((rowWeights[i] ?? 0) + (columnWeights[j] ?? 0)) * (1 - kappa)) ** 2);
  const variance = (squares - (kappa - expected * (1 - kappa)) ** 2) / (pairs * (1 - expected) ** 2);
  // The difference of two equal numbers may be slightly below zero.
  const standardError = Math.sqrt(Math.max(0, variance));
  const isFull = cells.every(({ p, w }) => p === 0 || w === 1);
  const interval = isFull ? intervalOfFull(expected, pairs) : normal(kappa, standardError);
  return { kappa, standardError, interval, agreement, expected, pairs };
}

function normal(kappa: number, standardError: number): Interval {
  const reach = Z95 * standardError;
  return { low: Math.max(-1, kappa - reach), high: Math.min(1, kappa + reach) };
}

function intervalOfFull(expected: number, pairs: number): Interval {
  const low = wilsonInterval(1, pairs)?.low ?? 0;
  return { low: Math.max(-1, (low - expected) / (1 - expected)), high: 1 };
}

function weightOf(weights: KappaWeights, i: number, j: number, size: number): number {
  if (typeof weights !== "string") return weights[i]?.[j] ?? 0;
  if (weights === "none" || size < 2) return i === j ? 1 : 0;
  const distance = Math.abs(i - j) / (size - 1);
  return 1 - (weights === "linear" ? distance : distance ** 2);
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
