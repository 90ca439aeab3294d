import { type ConsumerConfig, JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamConfig } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { topics } from "@toolbus/contracts";
import { BusUnavailable } from "../message-bus.ts";
import type { PipelineLog } from "../pipeline-log.ts";
import { refusedSubject } from "./refused-subject.ts";
import { streamDifferences } from "./stream-differences.ts";
import { consumerDeclaration, placeOf, type QueuePlace, type StreamDeclaration, streamDeclaration } from "./topology.ts";

export interface DeclareOptions {
  readonly namespace: string;
  readonly replicas: number;
  readonly maxBytes: number;
  readonly ackWaitMs: number;
  readonly log: PipelineLog;
}

/**
 * Creates the queue of a topic and the queue of its dead letters if they are missing. Each consists of the stream of its kind and a consumer. Many
 * processes may do this at the same time, and repeatedly. Rejects with `BusUnavailable` and one sentence if a queue is unavailable.
 */
export async function declareQueue(jsm: JetStreamManager, topic: string, options: DeclareOptions): Promise<QueuePlace> {
  // The dead queue is declared first, because a consumer may need it at once for a dead letter.
  await declarePlace(jsm, placeOf(options.namespace, topics.dead(topic)), options);
  const place = placeOf(options.namespace, topic);
  await declarePlace(jsm, place, options);
  return place;
}

/** Returns whether the queue of a topic was declared. Rejects if the server does not answer. */
export async function queueExists(jsm: JetStreamManager, { stream, durable }: QueuePlace): Promise<boolean> {
  try {
    await jsm.consumers.info(stream, durable);
    return true;
  } catch (error) {
    if (hasCode(error, JetStreamApiCodes.ConsumerNotFound) || hasCode(error, JetStreamApiCodes.StreamNotFound)) return false;
    throw error;
  }
}

async function declarePlace(jsm: JetStreamManager, place: QueuePlace, options: DeclareOptions): Promise<void> {
  try {
    await declareStream(jsm, streamDeclaration(options.namespace, place.kind, options), options.log);
    await declareConsumer(jsm, place, options.ackWaitMs, options.log);
  } catch (error) {
    throw error instanceof BusUnavailable ? error : refusal(error, place);
  }
}

async function declareStream(jsm: JetStreamManager, wanted: StreamDeclaration, log: PipelineLog): Promise<void> {
  const found = (await configOf(jsm, wanted.name)) ?? (await addStream(jsm, wanted));
  const { fixed, changeable } = streamDifferences(found, wanted);
  if (fixed.length > 0)
    throw new BusUnavailable(
      `The stream ${wanted.name} exists with other settings that cannot change (${fixed.join(", ")}); delete it, or use another namespace.`,
    );
  if (changeable.length === 0) return;
  try {
    await jsm.streams.update(wanted.name, wanted);
  } catch (error) {
    // The stream still works. An operator may have chosen these settings, or this login may not change them.
    log.warn({ stream: wanted.name, differs: changeable, reason: describe(error) }, "a stream has other settings and keeps them");
  }
}

async function configOf(jsm: JetStreamManager, name: string): Promise<StreamConfig | null> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (hasCode(error, JetStreamApiCodes.StreamNotFound)) return null;
    throw error;
  }
}

async function addStream(jsm: JetStreamManager, wanted: StreamDeclaration): Promise<StreamConfig> {
  try {
    return (await jsm.streams.add(wanted)).config;
  } catch (error) {
    // Another process created the stream first, with other settings.
    const found = hasCode(error, STREAM_NAME_IN_USE) ? await configOf(jsm, wanted.name) : null;
    if (found) return found;
    throw error;
  }
}

/** Creates the consumer if it does not exist. A login without the right to create the consumer uses the one that the setup created. */
async function declareConsumer(jsm: JetStreamManager, place: QueuePlace, ackWaitMs: number, log: PipelineLog): Promise<void> {
  const wanted = consumerDeclaration(place, ackWaitMs);
  const found = await consumerConfigOf(jsm, place);
  if (!found) return addConsumer(jsm, place, wanted);
  const { ack_wait, max_ack_pending, max_deliver } = wanted;
  if (found.ack_wait === ack_wait && found.max_ack_pending === max_ack_pending && found.max_deliver === max_deliver) return;
  try {
    await jsm.consumers.update(place.stream, place.durable, { ack_wait, max_ack_pending, max_deliver });
  } catch (error) {
    if (refusedSubject(error) === null) throw error;
    log.warn({ consumer: place.durable, reason: describe(error) }, "a consumer has other settings and keeps them");
  }
}

async function consumerConfigOf(jsm: JetStreamManager, { stream, durable }: QueuePlace): Promise<ConsumerConfig | null> {
  try {
    return (await jsm.consumers.info(stream, durable)).config;
  } catch (error) {
    if (hasCode(error, JetStreamApiCodes.ConsumerNotFound)) return null;
    throw error;
  }
}

async function addConsumer(jsm: JetStreamManager, place: QueuePlace, wanted: ReturnType<typeof consumerDeclaration>): Promise<void> {
  try {
    await jsm.consumers.add(place.stream, wanted);
  } catch (error) {
    // Another process created the consumer first. Servers from 2.10 on distinguish creating from changing, and 2.9 does either.
    if (!hasCode(error, CONSUMER_EXISTS) && !hasCode(error, CONSUMER_NAME_IN_USE)) throw error;
    const { ack_wait, max_ack_pending, max_deliver } = wanted;
    await jsm.consumers.update(place.stream, place.durable, { ack_wait, max_ack_pending, max_deliver });
  }
}

// Error codes of the server for which the client has no names.
const STREAM_NAME_IN_USE = 10_058;
const SUBJECTS_OVERLAP = 10_065;
const NO_ROOM = 10_047;
const NO_CLUSTER = 10_074;
const NO_PEERS = 10_005;
const CONSUMER_EXISTS = 10_148;
const CONSUMER_NAME_IN_USE = 10_013;
const CONSUMER_OVERLAPS = 10_100;

function refusal(error: unknown, { stream, subject, durable }: QueuePlace): BusUnavailable {
  const why = REASONS.get(codeOf(error) ?? 0) ?? describe(error);
  return new BusUnavailable(`The queue ${durable} of the stream ${stream} is unavailable for ${subject}: ${why}.`);
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [NO_ROOM, "the server has no room for it; give it more storage, or set fewer max-bytes in BUS_URL"],
  [NO_CLUSTER, "the server is not a cluster that could keep several replicas; set replicas to 1 in BUS_URL"],
  [NO_PEERS, "the cluster has too few servers for so many replicas; set fewer replicas in BUS_URL"],
  [SUBJECTS_OVERLAP, "another stream takes its subjects; use another namespace"],
  [CONSUMER_OVERLAPS, "another consumer of the stream takes its subject; delete that one"],
]);

function hasCode(error: unknown, code: number): boolean {
  return codeOf(error) === code;
}

function codeOf(error: unknown): number | null {
  return error instanceof JetStreamApiError ? error.code : null;
}

function describe(error: unknown): string {
  const subject = refusedSubject(error);
  if (subject) return `this login has no right to ${subject}`;
  if (error instanceof JetStreamApiError) return `${error.message} (${error.code})`;
  if (error instanceof errors.TimeoutError) return "the server did not answer in time";
  if (error instanceof errors.RequestError || error instanceof errors.ClosedConnectionError) return "the connection was lost";
  return error instanceof Error ? error.name : typeof error;
}
