import { hash } from "node:crypto";
import { decodeTime, ulid } from "ulid";

/**
 * Identifiers (docs/mechanics.md#identifiers). The shard can be read off any of them, so everything of one conversation commits together.
 *
 *     conversation  cv_<shard>_<ulid>      run   rn_<shard>_<ulid>, sub-run <runId>~<n>
 *     call          <runId>.<round>.<index>   approval   ap_<callId>
 *     dead letter   dl_<shard>_<26 characters of a hash>   delivery of a webhook   wh_<shard>_<26 characters of a hash>
 */
const ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}";
const SHARD = "[0-9a-f]{2}";
const RUN = `rn_${SHARD}_${ULID}(?:~[0-9]{1,4}){0,4}`;
const CALL = `${RUN}\\.[0-9]{1,4}\\.[0-9]{1,3}`;

/** Patterns of the identifiers, for schemas. */
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
// The lookahead holds for whole ids only; what follows it extracts the shard.
const anyId = new RegExp(`^(?=(?:(?:cv|dl|wh)_${SHARD}_${ULID}|${RUN}|(?:ap_)?${CALL})$)(?:ap_)?(?:cv|rn|dl|wh)_(${SHARD})_`);

/** How many shards a store has if its first start did not say otherwise. */
export const DEFAULT_SHARDS = 16;

/** What id generation needs from outside: the time in milliseconds and at least 16 random bytes. */
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

/** The shard with this number, as two hex digits. */
export function shardName(index: number): string {
  return index.toString(16).padStart(2, "0");
}

/** The shard that an identifier names. Throws on anything that is not one of our identifiers: parse at the edge first. */
export function shardOf(id: string): string {
  const shard = anyId.exec(id)?.[1];
  if (!shard) throw new Error(`"${id.slice(0, 80)}" is not an id of a conversation, run, call, approval, dead letter or delivery.`);
  return shard;
}

/** A new conversation id, on a shard chosen by the random bytes. */
export function newConversationId(mint: Mint, shards: number): string {
  return `cv_${shardName((mint.random[0] ?? 0) % shards)}_${ulidOf(mint)}`;
}

/** A new run id on its conversation's shard. */
export function newRunId(mint: Mint, conversationId: string): string {
  return `rn_${shardOf(conversationId)}_${ulidOf(mint)}`;
}

/**
 * The ids of a request with an `Idempotency-Key`: derived from tenant, principal, route and key, so that a repeat leads to the same documents. They are
 * ULIDs in form only; their time part means nothing.
 */
export function derivedIds(
  parts: { tenant: string; principal: string; route: string; key: string },
  shards: number,
): { conversationId: string; runId: string } {
  const digest = hash("sha256", JSON.stringify([parts.tenant, parts.principal, parts.route, parts.key]), "buffer");
  const shard = shardName((digest[0] ?? 0) % shards);
  return { conversationId: `cv_${shard}_${crockford(digest.subarray(0, 16))}`, runId: `rn_${shard}_${crockford(digest.subarray(16, 32))}` };
}

/** The run id of a request with an `Idempotency-Key` in a conversation that exists: derived likewise, on its conversation's shard. */
export function derivedRunId(parts: { tenant: string; principal: string; route: string; key: string }, conversationId: string): string {
  return derivedIds(parts, 1).runId.replace(/^rn_[0-9a-f]{2}_/, `rn_${shardOf(conversationId)}_`);
}

/** The id of the call with this index in this round of the run: unique everywhere, and the idempotency key of its effect. */
export function callIdOf(runId: string, round: number, index: number): string {
  return `${runId}.${round}.${index}`;
}

/** The run, round and index that a call id names. */
export function callParts(callId: string): { runId: string; round: number; index: number } {
  const [runId, round, index] = callId.split(".");
  if (!call.test(callId) || !runId) throw new Error(`"${callId.slice(0, 80)}" is not a call id.`);
  return { runId, round: Number(round), index: Number(index) };
}

/** When the run was created, according to its id. The time in an id derived from an Idempotency-Key means nothing: it is almost never near the present. */
export function mintedAt(runId: string): number {
  return decodeTime(rootRunId(runId).slice(-26));
}

/** The run without its sub-run suffix: the one whose origin answers for it. */
export function rootRunId(runId: string): string {
  return runId.split("~")[0] ?? runId;
}

/** The approval of a call: one call has one approval, by construction. */
export function approvalIdOf(callId: string): string {
  return `ap_${callId}`;
}

/** The call that an approval is for. */
export function approvalCallId(approvalId: string): string {
  return approvalId.slice("ap_".length);
}

/**
 * The id of a dead letter: derived from what distinguishes it from every other, so that its redelivery has the same id. Its shard is the given one, or else
 * one of `shards` derived from the same parts.
 */
export function deadLetterIdOf(parts: readonly string[], shards: number, shard?: string): string {
  const digest = hash("sha256", JSON.stringify(parts), "buffer");
  return `dl_${shard ?? shardName((digest[31] ?? 0) % shards)}_${crockford(digest.subarray(0, 16))}`;
}

/** The id of the delivery of an event about this object to a target. The receiver gets it as `webhook-id`: the same in every attempt. */
export function deliveryIdOf(event: string, subject: string, target: string): string {
  return `wh_${shardOf(subject)}_${crockford(hash("sha256", JSON.stringify([event, subject, target]), "buffer").subarray(0, 16))}`;
}

// Not the beginning of a longer number, which would name another call.
const callWithin = new RegExp(`${CALL}(?![0-9])`);
const runWithin = new RegExp(RUN);

/** The first call that a text names anywhere, such as in the id of a message; null if there is none. */
export const callNamedIn = (text: string): string | null => callWithin.exec(text)?.[0] ?? null;

/** The first run that a text names anywhere, by itself or in a call id; null if there is none. */
export const runNamedIn = (text: string): string | null => runWithin.exec(text)?.[0] ?? null;

/** Message ids: each repeat has a new number, so no broker drops it as a duplicate. */
export const messageIds = {
  invoke: (callId: string, dispatch: number) => `${callId}#${dispatch}`,
  result: (callId: string, fence: number) => `${callId}#r${fence}`,
  other: (kind: string, id: string, n: number) => `${kind}:${id}#${n}`,
} as const;

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

function ulidOf({ now, random }: Mint): string {
  let next = 1;
  return ulid(now, () => (random[next++ % random.length] ?? 0) / 256);
}

/** 26 characters of Crockford's base 32 from 16 bytes; the first is at most 7, as in every ULID. */
function crockford(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = (ALPHABET[Number(value & 31n)] ?? "0") + text;
    value >>= 5n;
  }
  return text;
}
