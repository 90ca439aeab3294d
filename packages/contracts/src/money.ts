/** Returns millionths of a US dollar as people read them. The sum has two decimal places, or more if a small sum needs them: `$1.20`, `$0.000315`. */
export function dollarsOf(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(6).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}
