import { CLOUDEVENTS_VERSION, MAX_BODY_BYTES } from "./attributes.ts";

/** A message as every broker delivers it: a JSON body and attributes in CloudEvents' binary mode. Nobody changes it after its creation. */
export interface Message {
  /** The unique id of this message. A deliberate repeat has another id. */
  readonly id: string;
  /** The topic to which the message is published. */
  readonly topic: string;
  readonly type: string;
  readonly source: string;
  /** The time of creation in the format of RFC 3339. */
  readonly time: string;
  /** The tool call to which the message belongs, if any. */
  readonly correlationId?: string;
  readonly replyTo?: string;
  /** All other attributes, under the names that the constant `attributes` lists. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The body as JSON text. */
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
  /** The attributes of the message. Undefined values are left out. */
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly body: unknown;
}

/** Returns a message. Throws a RangeError if the body is over the limit. Producers of large content store it as a blob first. */
export function message(parts: MessageParts): Message {
  const body = JSON.stringify(parts.body);
  // No UTF-16 code unit takes more than three bytes of UTF-8, so a short body need not be counted.
  if (body.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(body) > MAX_BODY_BYTES)
    throw new RangeError(
      `The body of ${parts.id} for ${parts.topic} is over ${MAX_BODY_BYTES} bytes; store it as a blob and send its hash.`,
    );
  const named: Record<string, string> = {};
  const given = parts.attributes ?? {};
  for (const name of Object.keys(given)) if (given[name] !== undefined) named[name] = String(given[name]);
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
