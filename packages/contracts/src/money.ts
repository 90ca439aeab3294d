/** Millionths of a US dollar as people read them: in cents, or with as many places as a smaller sum needs. `$1.20`, `$0.000315`. */
export function dollarsOf(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(6).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}
