import { hash } from "node:crypto";
import { decodeTime, ulid } from "ulid";

/**
 * Identifiers (docs/mechanics.md#identifiers). Each identifier contains its shard, so all documents of one conversation can be in one commit.
 *
 *     conversation  cv_<shard>_<ulid>      run   rn_<shard>_<ulid>, sub-run <runId>~<n>
 *     call          <runId>.<round>.<index>   approval   ap_<callId>
 *     dead letter   dl_<shard>_<26 characters of a hash>   delivery of a webhook   wh_<shard>_<26 characters of a hash>
 */
const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const SHARD = "[0-9a-f]{2}";
const RUN = `rn_${SHARD}_${ULID}(?:~[0-9]{1,4}){0,4}`;
const CALL = `${RUN}\\.[0-9]{1,4}\\.[0-9]{1,3}`;

/** The patterns of the identifiers, for schemas. */
export const ID_PATTERNS = {
  shard: `^${SHARD}$`,
  conversation: `^cv_${SHARD}_${ULID}$`,
  run: `^${RUN}$`,
  call: `^${CALL}$`,
  approval: `^ap_${CALL}$`,
  deadLetter: `^dl_${SHARD}_${ULID}$`,
  delivery: `^wh_${SHARD}_${ULID}$`,
} as const;

const run = new RegExp(ID_PATTERNS.run);
const conversation = new RegExp(ID_PATTERNS.conversation);
const call = new RegExp(ID_PATTERNS.call);
const approval = new RegExp(ID_PATTERNS.approval);
const deadLetter = new RegExp(ID_PATTERNS.deadLetter);
const delivery = new RegExp(ID_PATTERNS.delivery);
// The lookahead matches only whole ids. The rest of the expression extracts the shard.
const anyId = new RegExp(`^(?=(?:(?:cv|dl|wh)_${SHARD}_${ULID}|${RUN}|(?:ap_)?${CALL})$)(?:ap_)?(?:cv|rn|dl|wh)_(${SHARD})_`);

/** The number of shards of a store whose first start did not set another number. */
export const DEFAULT_SHARDS = 16;

/** The input for a new id: the time in milliseconds and at least 16 random bytes. */
export interface Mint {
  readonly now: number;
  readonly random: Uint8Array;
}

export const isRunId = (id: string): boolean => run.test(id);
export const isConversationId = (id: string): boolean => conversation.test(id);
export const isCallId = (id: string): boolean => call.test(id);
export const isApprovalId = (id: string): boolean => approval.test(id);
export const isDeadLetterId = (id: string): boolean => deadLetter.test(id);
export const isDeliveryId = (id: string): boolean => delivery.test(id);

/** Returns the name of the shard with this number, as two hex digits. */
export function shardName(index: number): string {
  return index.toString(16).padStart(2, "0");
}

// A run asks for the shard of the same few ids again and again, and the expression takes longer than a lookup.
const shards = new Map<string, string>();
const MOST_SHARDS_KNOWN = 4096;

/** Returns the shard that an id names. Throws if the text is not one of our ids. A caller must therefore check foreign input first. */
export function shardOf(id: string): string {
  const known = shards.get(id);
  if (known !== undefined) return known;
  const shard = anyId.exec(id)?.[1];
  if (!shard) throw new Error(`"${id.slice(0, 80)}" is not an id of a conversation, run, call, approval, dead letter or delivery.`);
  know(id, shard);
  return shard;
}

function know(id: string, shard: string): void {
  if (shards.size >= MOST_SHARDS_KNOWN) shards.clear();
  shards.set(id, shard);
}

/** Returns a new conversation id. The random bytes choose its shard. */
export function newConversationId(mint: Mint, shards: number): string {
  const shard = shardName((mint.random[0] ?? 0) % shards);
  const id = `cv_${shard}_${ulidOf(mint)}`;
  know(id, shard);
  return id;
}

/** Returns a new run id on the conversation's shard. */
export function newRunId(mint: Mint, conversationId: string): string {
  const shard = shardOf(conversationId);
  const id = `rn_${shard}_${ulidOf(mint)}`;
  know(id, shard);
  return id;
}

/**
 * Returns the ids of a request with an `Idempotency-Key`. They are derived from tenant, principal, route and key, so that a repeat leads to the same
 * documents. They have the form of ULIDs, but their time part means nothing.
 */
export function derivedIds(
  parts: { tenant: string; principal: string; route: string; key: string },
  shards: number,
): { conversationId: string; runId: string } {
  const digest = hash("sha256", JSON.stringify([parts.tenant, parts.principal, parts.route, parts.key]), "buffer");
  const shard = shardName((digest[0] ?? 0) % shards);
  return { conversationId: `cv_${shard}_${crockford(digest.subarray(0, 16))}`, runId: `rn_${shard}_${crockford(digest.subarray(16, 32))}` };
}

/**
 * Returns the run id of a request with an `Idempotency-Key` in an existing conversation. The id is derived from tenant, principal, route and key, and
 * is on the conversation's shard.
 */
export function derivedRunId(parts: { tenant: string; principal: string; route: string; key: string }, conversationId: string): string {
  return derivedIds(parts, 1).runId.replace(/^rn_[0-9a-f]{2}_/, `rn_${shardOf(conversationId)}_`);
}

/**
 * Returns the id of the call with this index in this round of the run. The id is unique everywhere, and it is the idempotency key of the call's
 * effect.
 */
export function callIdOf(runId: string, round: number, index: number): string {
  return `${runId}.${round}.${index}`;
}

/** Returns the run, round and index that a call id names. Throws if the text is not a call id. */
export function callParts(callId: string): { runId: string; round: number; index: number } {
  const [runId, round, index] = callId.split(".");
  if (!call.test(callId) || !runId) throw new Error(`"${callId.slice(0, 80)}" is not a call id.`);
  return { runId, round: Number(round), index: Number(index) };
}

/**
 * Returns the time when the run was created, according to its id. An id that was derived from an Idempotency-Key has a meaningless time, which is
 * almost never near the present.
 */
export function mintedAt(runId: string): number {
  return decodeTime(rootRunId(runId).slice(-26));
}

/** Returns the root run, whose origin also applies to its sub-runs. */
export function rootRunId(runId: string): string {
  return runId.split("~")[0] ?? runId;
}

/** Returns the id of the only approval that a call can have. */
export function approvalIdOf(callId: string): string {
  return `ap_${callId}`;
}

/** Returns the call that an approval is for. */
export function approvalCallId(approvalId: string): string {
  return approvalId.slice("ap_".length);
}

/**
 * Returns the id of a dead letter. It is derived from parts that identify the dead letter, so a redelivery has the same id. Its shard is the given
 * one, or else one of `shards` that is derived from the same parts.
 */
export function deadLetterIdOf(parts: readonly string[], shards: number, shard?: string): string {
  const digest = hash("sha256", JSON.stringify(parts), "buffer");
  return `dl_${shard ?? shardName((digest[31] ?? 0) % shards)}_${crockford(digest.subarray(0, 16))}`;
}

/**
 * Returns the id of the delivery of an event about this object to a target. The receiver sees this id as `webhook-id`. Every attempt has the same id.
 * `round` distinguishes the event from the same event about an earlier plan.
 */
export function deliveryIdOf(event: string, subject: string, target: string, round?: number): string {
  const parts = JSON.stringify([event, subject, target, ...(round === undefined ? [] : [round])]);
  return `wh_${shardOf(subject)}_${crockford(hash("sha256", parts, "buffer").subarray(0, 16))}`;
}

// A match must not end inside a longer number, because that number would name another call.
const callWithin = new RegExp(`${CALL}(?![0-9])`);
const runWithin = new RegExp(RUN);

/** Returns the first call that a text names anywhere, such as in the id of a message. Returns null if there is none. */
export const callNamedIn = (text: string): string | null => callWithin.exec(text)?.[0] ?? null;

/** Returns the first run that a text names anywhere, by itself or in a call id. Returns null if there is none. */
export const runNamedIn = (text: string): string | null => runWithin.exec(text)?.[0] ?? null;

/** Builds message ids. Each repeat has a new number, so no broker drops it as a duplicate. */
export const messageIds = {
  invoke: (callId: string, dispatch: number) => `${callId}#${dispatch}`,
  result: (callId: string, dispatch: number) => `${callId}#r${dispatch}`,
  other: (kind: string, id: string, n: number) => `${kind}:${id}#${n}`,
} as const;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function ulidOf({ now, random }: Mint): string {
  let next = 1;
  return ulid(now, () => (random[next++ % random.length] ?? 0) / 256);
}

/** Returns 16 bytes as 26 characters of Crockford's base 32. The first character is at most 7, as in every ULID. */
function crockford(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = (ALPHABET[Number(value & 31n)] ?? "0") + text;
    value >>= 5n;
  }
  return text;
}
