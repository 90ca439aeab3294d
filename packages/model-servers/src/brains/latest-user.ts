import type { Asked, AskedMessage } from "../model-server.ts";

/** The text of the last user message, and the messages after it: the present task. */
export function sinceLatestUser({ messages }: Asked): { readonly text: string; readonly since: readonly AskedMessage[] } {
  const at = messages.findLastIndex((message) => message.role === "user");
  const latest = messages[at];
  return { text: latest?.role === "user" ? latest.text : "", since: messages.slice(at + 1) };
}
