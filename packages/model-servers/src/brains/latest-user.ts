import type { Asked, AskedMessage } from "../model-server.ts";

/** The messages behind the last user's, and that one's text: what is being worked on now. */
export function sinceLatestUser({ messages }: Asked): { readonly text: string; readonly since: readonly AskedMessage[] } {
  const at = messages.findLastIndex((message) => message.role === "user");
  const latest = messages[at];
  return { text: latest?.role === "user" ? latest.text : "", since: messages.slice(at + 1) };
}
