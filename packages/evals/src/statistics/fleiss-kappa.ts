/** How far several raters agree with each other. The kappa is null with a reason if it is undefined. */
export type FleissKappa = { readonly kappa: number; readonly agreement: number } | { readonly kappa: null; readonly why: string };

/** Returns Fleiss' kappa. `counts[i][j]` is the number of raters who gave class j to item i. Every item needs the same number of raters. */
export function fleissKappa(counts: readonly (readonly number[])[]): FleissKappa {
  const raters = total(counts[0] ?? []);
  if (raters < 2) return { kappa: null, why: "Agreement needs at least one item with two ratings." };
  if (counts.some((item) => total(item) !== raters)) return { kappa: null, why: "The items have different numbers of ratings." };
  const items = counts.length;
  const classes = Math.max(...counts.map((item) => item.length));
  const agreement = total(counts.map((item) => total(item.map((count) => count * (count - 1))) / (raters * (raters - 1)))) / items;
  const shares = Array.from({ length: classes }, (_, j) => total(counts.map((item) => item[j] ?? 0)) / (items * raters));
  const expected = total(shares.map((share) => share * share));
  if (1 - expected < 1e-12)
    return { kappa: null, why: "All ratings are of one class, so agreement by chance cannot be told from agreement." };
  return { kappa: (agreement - expected) / (1 - expected), agreement };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
