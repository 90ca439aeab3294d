import { type EventOf, eventSchema, oneEventOf } from "./event-schema.ts";
import type { JsonObject } from "./json.ts";
import { Type } from "./schema.ts";

/** The schema of each event that is not durable, by its type. */
export const LIVE_EVENT_SCHEMAS = {
  accepted: eventSchema("accepted", "First of a stream that a POST opened: which run it is. Not durable.", {
    runId: Type.String(),
    conversationId: Type.String(),
  }),
  delta: eventSchema("delta", "Text of a round as it comes; the turn that follows says all of it again. Not durable.", {
    epoch: Type.Integer(),
    round: Type.Integer(),
    offset: Type.Integer({ description: "Counts characters within the round." }),
    after: Type.Integer({ description: "The last durable sequence when it was written." }),
    text: Type.String(),
  }),
  arguments: eventSchema(
    "arguments",
    "Members of the arguments of a call, as the model writes them, redacted. Not durable: the `turn` says all of them.",
    {
      epoch: Type.Integer(),
      round: Type.Integer(),
      after: Type.Integer({ description: "The last durable sequence when it was written." }),
      index: Type.Integer({ description: "Counts the calls of the round." }),
      tool: Type.String(),
      members: Type.Unsafe<JsonObject>({ type: "object" }),
    },
  ),
  reset: eventSchema("reset", "The text of this round begins anew: another process took it over. Not durable.", {
    epoch: Type.Integer(),
    round: Type.Integer(),
  }),
  progress: eventSchema("progress", "How far a tool has come. Not durable.", {
    callId: Type.String(),
    tool: Type.String(),
    n: Type.Integer({ description: "Counts up within a call; a smaller one is old." }),
    at: Type.Integer(),
    message: Type.String({ description: "In the tool's own words." }),
    fraction: Type.Optional(Type.Number({ description: "0 to 1, where the tool knows." })),
  }),
  bye: eventSchema("bye", "The server stops. Come back with the last id. Not durable.", { reason: Type.String() }),
} as const;

type Of<T extends keyof typeof LIVE_EVENT_SCHEMAS> = EventOf<(typeof LIVE_EVENT_SCHEMAS)[T]>;

/** Not durable, first of a stream that a POST opened: which run it is. Made by the gateway. */
export type RunAccepted = Of<"accepted">;

/** Not durable: text as it comes. `after` is the last durable sequence when it was written; `offset` counts characters within the round. */
export type TextDelta = Of<"delta">;

/**
 * Not durable: the arguments of a call as the model writes them, one member at a time and redacted like every event. `index` counts the calls of the
 * round; what of it is true stands in the turn.
 */
export type ArgumentsDelta = Of<"arguments">;

/** Not durable: another process took the round over, its text starts again. Made by the gateway. */
export type TextReset = Of<"reset">;

/** Not durable: how far a tool has come, in its own words. `n` counts up within a call; a smaller one is old. */
export type ToolProgressed = Of<"progress">;

/** Not durable: the server stops, and the client comes back. Made by the gateway. */
export type StreamBye = Of<"bye">;

/** What goes live while a run works: shown to who watches, never stored. */
export type LiveEvent = TextDelta | ArgumentsDelta | ToolProgressed;

/** Any event that is not durable. */
export const AnyLiveEvent = oneEventOf<RunAccepted | TextReset | StreamBye | LiveEvent>(
  LIVE_EVENT_SCHEMAS,
  "An event for whoever watches, told apart by `type`. It has no `id` and is not sent again.",
);
