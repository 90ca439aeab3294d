/** Returns an answer without the contents of plans, because an approval keeps only the last two contents. */
export function withoutPlanContent(answer: string): string {
  return JSON.stringify(JSON.parse(answer), (key, value: unknown) => (key === "plan" ? JSON.stringify(value, withoutChanges) : value));
}

function withoutChanges(key: string, value: unknown): unknown {
  return key === "changes" ? undefined : value;
}
