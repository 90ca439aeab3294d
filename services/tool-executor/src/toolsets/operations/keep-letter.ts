import { type Delivery, type Disposition, faultFields, loggedId } from "@toolbus/bus";
import { deadLetterIdOf, indexedLetter, keys, type KeptLetter, type Message, parseRunOrigin, shardOf } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, StoreUnavailable } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import { readLetter, type ReadLetter } from "./read-letter.ts";

export interface Keeping {
  readonly state: StateStore;
  readonly log: Log;
  /** The time for which a dead letter is kept, in milliseconds. */
  readonly keptMs: number;
}

/**
 * Keeps a message from the dead queue of `queue` as a document. A message that arrives several times is kept only once. A message that cannot be kept
 * blocks no other message. While the store is unavailable, the message is delivered again without limit. If the message cannot be kept for another
 * reason, it is left to its broker after 10 attempts, as a dead letter of a dead letter.
 */
export async function keepDelivery(keeping: Keeping, queue: string, { message, count }: Delivery): Promise<Disposition> {
  try {
    await keepLetter(keeping, queue, message);
    return { kind: "ack" };
  } catch (error) {
    const fields = { ...faultFields(error), queue, messageId: loggedId(message.id), count };
    if (error instanceof StoreUnavailable)
      keeping.log.warn(fields, "a dead letter could not be kept while the store is unavailable, and comes again");
    else keeping.log.error(fields, "a dead letter could not be kept");
    if (!(error instanceof StoreUnavailable) && count >= MOST_TRIES) return { kind: "dead-letter", reason: "it could not be kept" };
    return { kind: "retry", after: RETRY_MS[Math.min(count, RETRY_MS.length) - 1] ?? 0, reason: "it could not be kept" };
  }
}

const MOST_TRIES = 10;
const RETRY_MS = [1000, 5000, 30_000];

async function keepLetter({ state, log, keptMs }: Keeping, queue: string, message: Message): Promise<void> {
  const read = readLetter(message, queue);
  const letterId = idOf(state, read, message);
  const key = keys.deadLetter(letterId);
  const run = read.runId !== undefined && isOurs(state, read.runId) ? read.runId : undefined;
  const { now, documents } = await state.read([key, ...(run === undefined ? [] : [keys.runOrigin(run)])]);
  if (documents[0]) return;
  const origin = parseRunOrigin(documents[1]?.value);
  const letter: KeptLetter = {
    ...read,
    letterId,
    tenant: origin.ok ? origin.value.tenant : null,
    keptAt: now,
    expiresAt: now + keptMs,
    replayed: null,
  };
  const { outcome } = await commitRepeatedly(state, shardOf(letterId), {
    op: `keep:${letterId}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: letter, expiresAt: letter.expiresAt }],
    index: [keys.deadLetters(), keys.deadLetters(queue)].map((index) => ({ index, member: indexedLetter(letter), score: now })),
  });
  // Another worker received the same message and was faster.
  if (outcome !== "ok") return;
  const { deliveries, reason, runId, former } = letter;
  measure(metricNames.deadLetters, 1, { [attributeNames.messagingDestination]: queue });
  log.warn({ letterId, queue, messageId: loggedId(letter.message.id), deliveries, reason, runId, former }, "a dead letter is kept");
}

/**
 * Returns the id of a dead letter. The id names the shard of the run, so that all data of a run is in one shard. Without a run, the hash in the id
 * decides the shard.
 */
function idOf(state: StateStore, { queue, runId }: ReadLetter, { id, body }: Message): string {
  return deadLetterIdOf([queue, id, body], state.shards, runId !== undefined && isOurs(state, runId) ? shardOf(runId) : undefined);
}

/** Returns whether this store has the shard of the run. A sender can invent an id with another shard. */
function isOurs({ shards }: StateStore, runId: string): boolean {
  return Number.parseInt(shardOf(runId), 16) < shards;
}
