import { consumeQueue, type Disposition, faultFields, type MessageBus, type Subscription, Unroutable, type Verdict } from "@toolbus/bus";
import {
  keys,
  type KeptLetter,
  messageTypes,
  OperationsReplay,
  parseKeptLetter,
  parser,
  parseReplayRequest,
  type ReplayRequest,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import { replayMessage } from "./replay-message.ts";

export interface Replaying {
  readonly bus: MessageBus;
  readonly state: StateStore;
  readonly log: Log;
  /** Returns the wall-clock time in milliseconds. */
  readonly clock: () => number;
  readonly lettersPerMinute?: number | undefined;
}

/** Consumes the gateway's replay requests. The gateway repeats a request until the dead letter says that it was replayed. */
export function consumeReplays(replaying: Replaying): Promise<Subscription> {
  const { bus, log, clock, lettersPerMinute } = replaying;
  return consumeQueue(bus, {
    topic: topics.operationsReplay,
    types: [messageTypes.operationsReplay],
    parse: parseReplay,
    concurrency: 4,
    deadlineMs: 30_000,
    handler: (_, { letterId }) => replayLetter(replaying, letterId),
    lettersPerMinute,
    log,
    clock,
  });
}

const parseReplay = parser(OperationsReplay);
const ACK: Disposition = { kind: "ack" };

/**
 * Replays a dead letter once. It publishes the message, and then records the replay in the dead letter. After a crash between the two steps, it
 * publishes again with the same id. The requester, and the state of the call that the requester saw, are read from the gateway's document, so a
 * message alone replays nothing.
 */
async function replayLetter(replaying: Replaying, letterId: string): Promise<Verdict> {
  const { bus, state, log, clock } = replaying;
  if (Number.parseInt(shardOf(letterId), 16) >= state.shards)
    return { kind: "unusable", reason: "it names a shard that this store does not have" };
  const { now, documents } = await state.read([keys.deadLetter(letterId), keys.replayRequest(letterId)]);
  const letter = parseKeptLetter(documents[0]?.value);
  const request = parseReplayRequest(documents[1]?.value);
  if (!letter.ok || !request.ok) {
    log.warn(
      { letterId, letter: letter.ok, request: request.ok },
      "a replay of a missing dead letter, or one that nobody requested, is dropped",
    );
    return ACK;
  }
  if (letter.value.replayed) return ACK;
  const message = replayMessage(letter.value, request.value, clock());
  if (!message) {
    log.warn({ letterId }, "a replay that is not possible is dropped");
    return ACK;
  }
  try {
    await bus.publish(message);
  } catch (error) {
    if (!(error instanceof Unroutable)) throw error;
    log.warn({ ...faultFields(error), letterId, topic: message.topic }, "a replay waits, because nobody consumes its queue");
    return ACK;
  }
  await noteReplay(replaying, {
    letter: letter.value,
    version: documents[0]?.version ?? 0,
    request: request.value,
    messageId: message.id,
    now,
  });
  return ACK;
}

interface Replayed {
  readonly letter: KeptLetter;
  readonly version: number;
  readonly request: ReplayRequest;
  readonly messageId: string;
  readonly now: number;
}

async function noteReplay({ state, log }: Replaying, { letter, version, request: { by }, messageId, now }: Replayed): Promise<void> {
  const { letterId, queue, expiresAt, replayBy } = letter;
  const key = keys.deadLetter(letterId);
  const value: KeptLetter = { ...letter, replayed: { at: now, by, messageId } };
  const { outcome } = await commitRepeatedly(state, shardOf(letterId), {
    op: `replayed:${letterId}`,
    guards: [{ key, version }],
    put: [{ key, value, expiresAt }],
  });
  // If this commit is stale, another worker has already recorded the replay.
  if (outcome !== "ok") return;
  measure(metricNames.deadLetterReplays, 1, { [attributeNames.messagingDestination]: queue, [attributeNames.replayBy]: replayBy.kind });
  log.info({ letterId, queue, by, messageId, replayBy: replayBy.kind }, "a dead letter was replayed");
}
