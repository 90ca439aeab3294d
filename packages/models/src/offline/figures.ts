/** A share as people read it: `1.25 %`. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}

/** A ratio as people read it: `1.5 times`. */
export function times(ratio: number): string {
  return `${Number(ratio.toFixed(2))} times`;
}

/** A number with its noun: `1 test`, `3 tests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
