/** Returns a share in the usual form, such as `1.25 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

/** Returns a ratio in the usual form, such as `1.5 times`. */
export function times(ratio: number): string {
  return `${Number(ratio.toFixed(2))} times`;
}
