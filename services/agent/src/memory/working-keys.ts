/** A place in working memory that a key names. */
export interface WorkingPlace {
  readonly indexKey: string;
  /** The number of a chunk, from 1. Null means the outline. */
  readonly chunk: number | null;
}

export type ResolvedKey =
  | { readonly kind: "place"; readonly place: WorkingPlace }
  /** The key names a namespace other than the conversation's own. */
  | { readonly kind: "foreign" }
  /** The text does not have the form of a key. */
  | { readonly kind: "none" };

/**
 * Returns the key of a result's index: `session/<conversation>/tool-<name>-<call>-index`. The call's id consists of the run's id, the round and the
 * call's number, so two results of one tool in one run have different keys.
 */
export function indexKeyOf(call: { readonly conversationId: string; readonly toolName: string; readonly callId: string }): string {
  return `${namespaceOf(call.conversationId)}/tool-${call.toolName}-${call.callId}-index`;
}

/** Returns the key of a chunk of the result with this index. */
export function chunkKeyOf(indexKey: string, chunk: number): string {
  return `${indexKey.slice(0, -"index".length)}chunk${chunk}`;
}

/** Resolves a key in this conversation. A key with `/` is absolute. A key without `/` belongs to the conversation's own namespace (C-06, C-12). */
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
