import {
  attributes,
  callParts,
  type KeptLetter,
  type Message,
  message,
  messageIds,
  messageTypes,
  type ReplayRequest,
  type RunWake,
  topics,
} from "@toolbus/contracts";

/**
 * Returns the message that the replay of a dead letter publishes. It is the dead letter's message under a new id, or a wake that makes the agent look
 * at the call. Returns null if neither is possible. The same request gives the same id, so a repeat can be recognised. `now` is the wall-clock time,
 * because a queue accepts no message that is a day old.
 */
export function replayMessage(letter: KeptLetter, { call }: ReplayRequest, now: number): Message | null {
  switch (letter.replayBy.kind) {
    case "publish":
      return publishedAgain(letter, now);
    case "call":
      return call?.callId === letter.replayBy.callId ? lookAt(letter, call, now) : null;
    case "none":
      return null;
  }
}

function publishedAgain({ letterId, queue, message: original }: KeptLetter, now: number): Message {
  return {
    ...original,
    id: replayId(original.id, letterId),
    topic: queue,
    time: new Date(now).toISOString(),
    attributes: { ...original.attributes, [attributes.replayOf]: letterId },
  };
}

function lookAt({ letterId, message: original }: KeptLetter, call: NonNullable<RunWake["call"]>, now: number): Message {
  const { runId } = callParts(call.callId);
  const body: RunWake = { runId, call };
  return message({
    id: messageIds.other("wake", letterId, 1),
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/operations",
    now,
    attributes: {
      [attributes.agent]: original.attributes[attributes.agent],
      [attributes.traceparent]: original.attributes[attributes.traceparent],
      [attributes.replayOf]: letterId,
    },
    body,
  });
}

// Every broker accepts these ids, and they leave room for the number.
const PLAIN_ID = /^[\x21-\x7e]{1,180}$/;

/** Returns the id of a republished message, which is `<id>#replay<n>`. The replay of that message has the id `<id>#replay<n + 1>`. */
function replayId(id: string, letterId: string): string {
  const [, root = id, times = "0"] = /^(.+)#replay(\d{1,6})$/.exec(id) ?? [];
  return PLAIN_ID.test(root) ? `${root}#replay${Number(times) + 1}` : messageIds.other("replay", letterId, 1);
}
