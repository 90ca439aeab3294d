/** A place in working memory, as the model writes it. */
export interface WorkingPlace {
  readonly indexKey: string;
  /** A chunk, counted from 1; null: the outline. */
  readonly chunk: number | null;
}

export type ResolvedKey =
  | { readonly kind: "place"; readonly place: WorkingPlace }
  /** It names another session's, or nobody's, namespace. */
  | { readonly kind: "foreign" }
  /** It has not the form of a key. */
  | { readonly kind: "none" };

/**
 * The key of a result's index: `session/<conversation>/tool-<name>-<call>-index`. The call's id begins with the run's and continues with its round and
 * number, so that two results of one tool in one run have two keys.
 */
export function indexKeyOf(call: { readonly conversationId: string; readonly toolName: string; readonly callId: string }): string {
  return `${namespaceOf(call.conversationId)}/tool-${call.toolName}-${call.callId}-index`;
}

/** The key of a chunk of the result with this index. */
export function chunkKeyOf(indexKey: string, chunk: number): string {
  return `${indexKey.slice(0, -"index".length)}chunk${chunk}`;
}

/** The meaning of a key in this conversation: with `/` it is absolute, without it belongs to the conversation's own namespace (C-06, C-12). */
export function resolveKey(conversationId: string, key: string): ResolvedKey {
  const own = `${namespaceOf(conversationId)}/`;
  if (key.includes("/") && !key.startsWith(own)) return { kind: "foreign" };
  const name = key.includes("/") ? key.slice(own.length) : key;
  const [, result, chunk] = KEY.exec(name) ?? [];
  if (result === undefined) return { kind: "none" };
  return { kind: "place", place: { indexKey: `${own}${result}-index`, chunk: chunk === undefined ? null : Number(chunk) } };
}

const KEY = /^(tool-[^/\s]{1,240})-(?:index|chunk([1-9]\d{0,5}))$/;

function namespaceOf(conversationId: string): string {
  return `session/${conversationId}`;
}
