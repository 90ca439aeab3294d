/** Returns a number with its noun, without the "s" if the number is 1: `1 test`, `0 tests`, `3 failed tests`. `shown` is the formatted number. */
export function counted(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? "" : "s"}`;
}
