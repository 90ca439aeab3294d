/** A share in the usual form: `1.25 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

/** A ratio in the usual form: `1.5 times`. */
export function times(ratio: number): string {
  return `${Number(ratio.toFixed(2))} times`;
}
