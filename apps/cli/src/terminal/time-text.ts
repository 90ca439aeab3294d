/** Returns a time in UTC to the second, such as `2026-11-25 19:03:18`. */
export function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
