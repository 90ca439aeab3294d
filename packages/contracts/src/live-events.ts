import { type EventOf, eventSchema, oneEventOf } from "./event-schema.ts";
import type { JsonObject } from "./json.ts";
import { Type } from "./schema.ts";

/** The schema of each event that is not durable, by its type. */
export const LIVE_EVENT_SCHEMAS = {
  accepted: eventSchema("accepted", "First of a stream that a POST opened: which run it is. Not durable.", {
    runId: Type.String(),
    conversationId: Type.String(),
  }),
  delta: eventSchema("delta", "Text of a round as it arrives; the turn that follows contains all of it again. Not durable.", {
    epoch: Type.Integer(),
    round: Type.Integer(),
    offset: Type.Integer({ description: "Counts characters within the round." }),
    after: Type.Integer({ description: "The last durable sequence when it was written." }),
    text: Type.String(),
  }),
  arguments: eventSchema(
    "arguments",
    "Members of the arguments of a call, as the model writes them, redacted. Not durable: the `turn` contains all of them.",
    {
      epoch: Type.Integer(),
      round: Type.Integer(),
      after: Type.Integer({ description: "The last durable sequence when it was written." }),
      index: Type.Integer({ description: "Counts the calls of the round." }),
      tool: Type.String(),
      members: Type.Unsafe<JsonObject>({ type: "object" }),
    },
  ),
  reset: eventSchema("reset", "The text of this round begins again: another process took it over. Not durable.", {
    epoch: Type.Integer(),
    round: Type.Integer(),
  }),
  progress: eventSchema("progress", "The progress of a tool. Not durable.", {
    callId: Type.String(),
    tool: Type.String(),
    n: Type.Integer({ description: "Rises within a call; a smaller one is outdated." }),
    at: Type.Integer(),
    message: Type.String({ description: "In the tool's own words." }),
    fraction: Type.Optional(Type.Number({ description: "0 to 1, if the tool knows." })),
  }),
  bye: eventSchema("bye", "The server stops. Reconnect with the last id. Not durable.", { reason: Type.String() }),
} as const;

type Of<T extends keyof typeof LIVE_EVENT_SCHEMAS> = EventOf<(typeof LIVE_EVENT_SCHEMAS)[T]>;

/** Not durable, first of a stream that a POST opened: which run it is. Made by the gateway. */
export type RunAccepted = Of<"accepted">;

/** Not durable: text as it arrives. `after` is the last durable sequence when it was written; `offset` counts characters within the round. */
export type TextDelta = Of<"delta">;

/**
 * Not durable: the arguments of a call as the model writes them, one member at a time and redacted like every event. `index` counts the calls of the round;
 * the turn holds the final arguments.
 */
export type ArgumentsDelta = Of<"arguments">;

/** Not durable: another process took over the round, so its text starts again. Made by the gateway. */
export type TextReset = Of<"reset">;

/** Not durable: the progress of a tool, in its own words. `n` rises within a call; a smaller one is outdated. */
export type ToolProgressed = Of<"progress">;

/** Not durable: the server stops, and the client reconnects. Made by the gateway. */
export type StreamBye = Of<"bye">;

/** Live events while a run works: shown to viewers, never stored. */
export type LiveEvent = TextDelta | ArgumentsDelta | ToolProgressed;

/** Any event that is not durable. */
export const AnyLiveEvent = oneEventOf<RunAccepted | TextReset | StreamBye | LiveEvent>(
  LIVE_EVENT_SCHEMAS,
  "An event for live viewers, distinguished by `type`. It has no `id` and is not sent again.",
);
