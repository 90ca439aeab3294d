import {
  AnyLiveEvent,
  type Declared,
  type EventSchemas,
  eventSchemaName,
  type Json,
  LIVE_EVENT_SCHEMAS,
  NUMBERED_RUN_EVENTS,
  NumberedRunEvent,
  type LiveEvent,
  type RunAccepted,
  type RunEvent,
  type StreamBye,
  type TextReset,
} from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";
import events from "./recorded-events.json" with { type: "json" };

type Streamed = RunEvent | RunAccepted | LiveEvent | TextReset | StreamBye;

interface Recorded {
  /** The id that was sent, or null for an event that is not durable. */
  readonly id: string | null;
  readonly data: object;
}

/**
 * One example of each event that a stream can contain, as a whole system sent it. A new type of event does not compile until somebody has recorded an
 * example for it (docs/testing.md#examples-of-the-api).
 */
const EXAMPLES: Readonly<Record<Streamed["type"], Recorded>> = events;

const SCHEMAS: EventSchemas = { ...NUMBERED_RUN_EVENTS, ...LIVE_EVENT_SCHEMAS };

/** The schemas of events under their names: one for each event, and one each for any durable and any live event. */
const NAMED: readonly Pick<Declared<unknown>, "name" | "schema">[] = [
  { name: "RunEvent", schema: NumberedRunEvent },
  { name: "LiveEvent", schema: AnyLiveEvent },
  ...Object.entries(SCHEMAS).map(([type, schema]) => ({ name: eventSchemaName(type), schema })),
];

/** The description of an answer that is the stream of a run. */
export const STREAM = {
  type: "text/event-stream",
  schemas: NAMED,
  media: {
    schema: {
      type: "string",
      description: [
        "The stream has server-sent events (WHATWG HTML, section 9.2), each with its name and one line of JSON. Durable events have an `id`, `<runId>:<sequence>`, and the `sequence` in their data.",
        "After `Last-Event-ID`, they continue without a gap or a repeat. The other events are for viewers and have no id. A comment line keeps a silent stream open.",
        "Exactly one of `run.completed`, `run.failed` and `run.cancelled` ends the stream. `contentSchema` describes the data of each event, because OpenAPI 3.1 cannot describe the items of a stream.",
      ].join(" "),
      contentMediaType: "application/json",
      contentSchema: JSON.parse(JSON.stringify({ anyOf: [NumberedRunEvent, AnyLiveEvent] })),
    },
    examples: Object.fromEntries(
      Object.keys(SCHEMAS).map((type) => [
        nameOf(type),
        { summary: SCHEMAS[type]?.description ?? "", value: written(type, EXAMPLES[type as Streamed["type"]]) },
      ]),
    ),
  },
} as const satisfies Partial<RouteDocs["answers"][number]>;

/** Returns the key for a type of event in the document, where keys have no dots. */
function nameOf(type: string): string {
  return type.replaceAll(".", "_");
}

function written(type: string, { id, data }: Recorded): Json {
  return `${id === null ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
