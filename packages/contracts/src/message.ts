import { CLOUDEVENTS_VERSION, MAX_BODY_BYTES } from "./attributes.ts";

/** A message as every broker carries it: a JSON body and attributes in CloudEvents' binary mode. It is never changed after its creation. */
export interface Message {
  /** Unique to what is sent. A deliberate repeat has another id. */
  readonly id: string;
  /** The topic it is published to. */
  readonly topic: string;
  readonly type: string;
  readonly source: string;
  /** RFC 3339. */
  readonly time: string;
  /** The tool call that it belongs to, if any. */
  readonly correlationId?: string;
  readonly replyTo?: string;
  /** Everything else, by the names in `attributes`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

export interface MessageParts {
  readonly id: string;
  readonly topic: string;
  readonly type: string;
  readonly source: string;
  readonly now: number;
  readonly correlationId?: string | undefined;
  readonly replyTo?: string | undefined;
  /** Undefined values are left out. */
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly body: unknown;
}

/** Makes a message. Throws a RangeError on a body over the limit: producers of large content store it as a blob first. */
export function message(parts: MessageParts): Message {
  const body = JSON.stringify(parts.body);
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new RangeError(
      `The body of ${parts.id} for ${parts.topic} is over ${MAX_BODY_BYTES} bytes; store it as a blob and send its hash.`,
    );
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.attributes ?? {})) if (value !== undefined) named[name] = String(value);
  return {
    id: parts.id,
    topic: parts.topic,
    type: parts.type,
    source: parts.source,
    time: new Date(parts.now).toISOString(),
    ...(parts.correlationId === undefined ? {} : { correlationId: parts.correlationId }),
    ...(parts.replyTo === undefined ? {} : { replyTo: parts.replyTo }),
    attributes: named,
    body,
  };
}

/** The value of `specversion` on every wire. */
export const SPEC_VERSION = CLOUDEVENTS_VERSION;
