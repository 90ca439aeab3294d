import {
  attributes,
  callNamedIn,
  callParts,
  type DeadMessage,
  isCallId,
  isDeadLetterId,
  isRunId,
  type KeptLetter,
  type Message,
  messageTypes,
  parseDeadLetter,
  type ReplayBy,
  runNamedIn,
} from "@toolbus/contracts";
import { cutMessage, shorten, utf8Bytes, withoutSecrets } from "./cut-message.ts";

/** The content of a dead letter before it has a shard, a tenant and times. It is never larger than a document may be. */
export type ReadLetter = Omit<KeptLetter, "letterId" | "tenant" | "keptAt" | "expiresAt" | "replayed">;

/**
 * Reads a message from the dead queue of `queue`. Never throws, because nothing may block that queue. Also reads a message that is not a dead letter,
 * because a broker that gives up a message by itself puts the bare message there. A malformed dead letter is kept unchanged.
 */
export function readLetter(message: Message, queue: string): ReadLetter {
  if (message.type !== messageTypes.deadLetter) {
    return kept({
      queue,
      reason: "its broker gave up on it",
      deliveries: 0,
      history: [],
      cut: false,
      message: { ...plain(message), topic: queue },
    });
  }
  const letter = parsed(message.body);
  if (letter) return kept({ ...letter, queue, message: { ...letter.message, topic: queue } });
  const read = kept({
    queue,
    reason: "the dead letter breaks its schema",
    deliveries: 0,
    history: [],
    cut: false,
    message: plain(message),
  });
  return {
    ...read,
    unreadable: true,
    replayBy: { kind: "none", why: "The dead letter breaks its schema, so there is no message to send again." },
  };
}

type Letter = Pick<KeptLetter, "queue" | "reason" | "deliveries" | "history" | "message" | "cut">;

const LONGEST_REASON = 300;
const LONGEST_HISTORY = 10;
// Together with everything else in a document, this is well below the document's limit of 64 KiB.
const WHOLE_BYTES = 32 * 1024;

/** The types of messages that contain a grant or a call secret, and are useless without it. */
const SECRET_TYPES: readonly string[] = [messageTypes.toolInvoke, messageTypes.approvalDecided];

function kept({ queue, reason, deliveries, history, message, cut }: Letter): ReadLetter {
  const safe = { ...message, attributes: withoutSecrets(message.attributes) };
  const tooLarge = utf8Bytes(safe) > WHOLE_BYTES;
  const named = namedBy(safe);
  const former = safe.attributes[attributes.replayOf];
  return {
    queue,
    reason: shorten(reason, LONGEST_REASON),
    deliveries,
    history: history.slice(-LONGEST_HISTORY).map((tried) => ({ at: tried.at, reason: shorten(tried.reason, LONGEST_REASON) })),
    message: tooLarge ? cutMessage(safe) : safe,
    cut: cut || tooLarge,
    unreadable: false,
    ...named,
    ...(former !== undefined && isDeadLetterId(former) ? { former } : {}),
    replayBy: replayOf(safe.type, cut || tooLarge, named.callId),
  };
}

function replayOf(type: string, cut: boolean, callId: string | undefined): ReplayBy {
  if (callId !== undefined && (cut || SECRET_TYPES.includes(type))) return { kind: "call", callId };
  if (cut) return { kind: "none", why: "The message was too large to be kept in full; its sender has to send it again." };
  return { kind: "publish" };
}

/** Returns the call and the run that a message is about, from its body, its correlation id or its own id. */
function namedBy({ id, correlationId, body }: DeadMessage): { readonly callId?: string; readonly runId?: string } {
  const { toolCallId, runId } = fieldsOf(body);
  const callId = [toolCallId, correlationId].find((each) => each !== undefined && isCallId(each)) ?? callNamedIn(id) ?? undefined;
  if (callId !== undefined) return { callId, runId: callParts(callId).runId };
  const run = runId !== undefined && isRunId(runId) ? runId : runNamedIn(id);
  return run === null ? {} : { runId: run };
}

function fieldsOf(body: string): { readonly toolCallId?: string; readonly runId?: string } {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null) return {};
    return {
      ...("toolCallId" in value && typeof value.toolCallId === "string" ? { toolCallId: value.toolCallId } : {}),
      ...("runId" in value && typeof value.runId === "string" ? { runId: value.runId } : {}),
    };
  } catch {
    return {};
  }
}

function parsed(body: string): Letter | null {
  try {
    const letter = parseDeadLetter(JSON.parse(body));
    return letter.ok ? letter.value : null;
  } catch {
    return null;
  }
}

/** Returns the fields of a message that are kept, without any others that a broker may have added. */
function plain({ id, topic, type, source, time, correlationId, replyTo, attributes: named, body }: Message): DeadMessage {
  return {
    id,
    topic,
    type,
    source,
    time,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(replyTo === undefined ? {} : { replyTo }),
    attributes: { ...named },
    body,
  };
}
