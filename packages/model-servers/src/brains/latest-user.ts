import type { Asked, AskedMessage } from "../model-server.ts";

/** Returns the text of the last user message and the messages after it, which belong to the present task. */
export function sinceLatestUser({ messages }: Asked): { readonly text: string; readonly since: readonly AskedMessage[] } {
  const at = messages.findLastIndex((message) => message.role === "user");
  const latest = messages[at];
  return { text: latest?.role === "user" ? latest.text : "", since: messages.slice(at + 1) };
}
