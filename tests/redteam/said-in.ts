import type { Arena } from "./arena.ts";
import { ask } from "./http.ts";
import type { People } from "./people.ts";
import { textIn } from "./text-in.ts";

/** Sends a message as this person, in this conversation or in a new one. */
export async function saidIn(
  { gateway, system: { people } }: Arena,
  who: keyof People,
  text: string,
  conversation?: string,
): Promise<{ readonly runId: string; readonly conversation: string }> {
  const begun =
    conversation ?? textIn((await answered(gateway("/v1/conversations"), people[who], { profile: "direct" }))["conversationId"]);
  const { runId } = await answered(gateway(`/v1/conversations/${begun}/messages`), people[who], { text });
  return { runId: textIn(runId), conversation: begun };
}

/** Returns the code of the error that a result is. */
export function errorIn(content: string): string {
  return /"error":"(\w+)"/.exec(content)?.[1] ?? "no code";
}

async function answered(url: string, key: string, sent: object) {
  const { status, body } = await ask(url, key, sent);
  if (status >= 300) throw new Error(`The gateway answered ${status}: ${JSON.stringify(body)}`);
  return body;
}
