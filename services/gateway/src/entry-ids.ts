import { callParts } from "@toolbus/contracts";

// The id of an entry of the inbox begins with the id of what it is about.

export const cancelEntryId = (runId: string): string => `${runId}!cancel`;

export const deletionEntryId = (conversationId: string): string => `${conversationId}!delete`;

/** Returns the conversation that an entry of this id deletes, or null for other entries. */
export function conversationOfDeletion(entryId: string): string | null {
  return /^(cv_.+)!delete$/.exec(entryId)?.[1] ?? null;
}

/** Returns the id of the entry that answers this call. It begins with the run's id, as the id of every entry does. */
export function answerEntryId(callId: string): string {
  const { runId, round, index } = callParts(callId);
  return `${runId}!answer.${round}.${index}`;
}

/** Returns the call that an entry of this id answers, or null for other entries. */
export function answeredCall(entryId: string): string | null {
  const [, runId, call] = /^(.+)!answer\.(\d+\.\d+)$/.exec(entryId) ?? [];
  return runId && call ? `${runId}.${call}` : null;
}
