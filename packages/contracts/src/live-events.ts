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

/** The first event of a stream that a POST opened. It names the run and is not durable. The gateway creates it. */
export type RunAccepted = Of<"accepted">;

/**
 * Text as it arrives. The event is not durable. `after` is the last durable sequence when the text was written. `offset` counts characters within the
 * round.
 */
export type TextDelta = Of<"delta">;

/**
 * One member of the arguments of a call, as the model writes them. The event is not durable. Credentials are removed from it, as from every event.
 * `index` counts the calls of the round. The turn contains the final arguments.
 */
export type ArgumentsDelta = Of<"arguments">;

/** Reports that another process took over the round, so its text starts again. The event is not durable. The gateway creates it. */
export type TextReset = Of<"reset">;

/** The progress of a tool in its own words. The event is not durable. `n` rises within a call, and an event with a smaller `n` is outdated. */
export type ToolProgressed = Of<"progress">;

/** Reports that the server stops, so the client has to reconnect. The event is not durable. The gateway creates it. */
export type StreamBye = Of<"bye">;

/** A live event of a working run. Viewers see the event, but it is not part of the run's log. */
export type LiveEvent = TextDelta | ArgumentsDelta | ToolProgressed;

/** The schema of any event that is not durable. */
export const AnyLiveEvent = oneEventOf<RunAccepted | TextReset | StreamBye | LiveEvent>(
  LIVE_EVENT_SCHEMAS,
  "An event for live viewers, distinguished by `type`. It has no `id` and is not sent again.",
);
