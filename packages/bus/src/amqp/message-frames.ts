/** The fields and the properties of a publish, as amqplib passes them to `sendMessage`. */
export type PublishFields = Readonly<Record<string, unknown>>;

/**
 * Returns the frames of a message in one buffer, byte for byte as amqplib writes them. amqplib's own encoder takes three times as long, because it
 * suits every table. Returns null for a message that this encoder does not know, which amqplib then encodes or refuses: other properties, other types
 * of headers, long headers, a body of more than one frame.
 */
export function messageFrames(channel: number, fields: PublishFields, content: Buffer, frameMax: number): Buffer | null {
  if (UNKNOWN_PROPERTIES.some((name) => fields[name] !== undefined) || content.length > frameMax - FRAME_OVERHEAD) return null;
  const [headers, own] = headersOf(fields);
  if (headers === null || own || longestHead(fields, headers) > head.length) return null;
  at = 0;
  methodFrame(channel, fields);
  if (!headerFrame(channel, fields, headers, content.length)) return null;
  const body = content.length > 0 ? content.length + FRAME_OVERHEAD : 0;
  const frames = Buffer.allocUnsafe(at + body);
  head.copy(frames, 0, 0, at);
  if (body === 0) return frames;
  frames[at] = BODY;
  frames.writeUInt16BE(channel, at + 1);
  frames.writeUInt32BE(content.length, at + 3);
  content.copy(frames, at + 7);
  frames[at + body - 1] = END;
  return frames;
}

const METHOD = 1;
const HEADER = 2;
const BODY = 3;
const END = 206;
const FRAME_OVERHEAD = 8;
const BASIC = 60;
const PUBLISH = 40;
const MANDATORY = 1;

/** The short properties, with their flags, in the order in which they follow each other. The headers and the delivery mode follow the encoding. */
const BEFORE_HEADERS = [
  ["contentType", 0x8000],
  ["contentEncoding", 0x4000],
] as const;
const HEADERS_FLAG = 0x2000;
const DELIVERY_MODE_FLAG = 0x1000;
const AFTER_MODE = [
  ["correlationId", 0x0400],
  ["replyTo", 0x0200],
  ["messageId", 0x0080],
  ["type", 0x0020],
] as const;
const SHORT_STRINGS = ["exchange", "routingKey", ...BEFORE_HEADERS.map(([name]) => name), ...AFTER_MODE.map(([name]) => name)];
const UNKNOWN_PROPERTIES = ["priority", "expiration", "timestamp", "userId", "appId", "clusterId", "ticket"];

/** The buffer in which the frames before the body are written, and the next position. Nothing is awaited while it is in use. */
const head = Buffer.allocUnsafe(16 * 1024);
let at = 0;

/** Returns the caller's headers, and whether amqplib added any. amqplib passes an object whose prototype is the caller's object. */
function headersOf({ headers }: PublishFields): readonly [headers: Readonly<Record<string, unknown>> | null, own: boolean] {
  if (typeof headers !== "object" || headers === null) return [null, false];
  const given: unknown = Object.getPrototypeOf(headers);
  if (typeof given !== "object" || given === null || Object.getPrototypeOf(given) !== Object.prototype) return [null, false];
  return [given as Readonly<Record<string, unknown>>, Object.keys(headers).length > 0];
}

/** Returns the most bytes that the frames before the body may have. Returns Infinity for a short string that is none. */
function longestHead(fields: PublishFields, headers: Readonly<Record<string, unknown>>): number {
  let most = 100;
  for (const name of SHORT_STRINGS) {
    const text = fields[name];
    if (text === undefined) continue;
    // A UTF-16 unit has at most three bytes in UTF-8, and a short string at most 255.
    if (typeof text !== "string" || (text.length > 85 && Buffer.byteLength(text) > 255)) return Number.POSITIVE_INFINITY;
    most += 1 + 3 * text.length;
  }
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (name.length > 85) return Number.POSITIVE_INFINITY;
    most += 10 + 3 * name.length + (typeof value === "string" ? 3 * value.length : 0);
  }
  return most;
}

function methodFrame(channel: number, { exchange, routingKey, mandatory }: PublishFields): void {
  const start = beginFrame(METHOD, channel);
  uint16(BASIC);
  uint16(PUBLISH);
  uint16(0);
  shortString(exchange as string);
  shortString(routingKey as string);
  head[at++] = mandatory === true ? MANDATORY : 0;
  endFrame(start);
}

/** Writes the frame with the properties. Returns false for a value that this encoder does not know. */
function headerFrame(channel: number, fields: PublishFields, headers: Readonly<Record<string, unknown>>, size: number): boolean {
  const { deliveryMode } = fields;
  const start = beginFrame(HEADER, channel);
  uint16(BASIC);
  uint16(0);
  uint32(0);
  uint32(size);
  const flagsAt = at;
  at += 2;
  let flags = shortStrings(fields, BEFORE_HEADERS) | HEADERS_FLAG;
  if (!table(headers)) return false;
  if (deliveryMode !== undefined) {
    if (deliveryMode !== 1 && deliveryMode !== 2) return false;
    flags |= DELIVERY_MODE_FLAG;
    head[at++] = deliveryMode;
  }
  flags |= shortStrings(fields, AFTER_MODE);
  head.writeUInt16BE(flags, flagsAt);
  endFrame(start);
  return true;
}

function shortStrings(fields: PublishFields, properties: readonly (readonly [name: string, flag: number])[]): number {
  let flags = 0;
  for (const [name, flag] of properties) {
    const text = fields[name];
    if (text === undefined) continue;
    flags |= flag;
    shortString(text as string);
  }
  return flags;
}

function table(headers: Readonly<Record<string, unknown>>): boolean {
  const sizeAt = at;
  at += 4;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    shortString(name);
    if (typeof value === "string") {
      head[at++] = 0x53;
      const lengthAt = at;
      at += 4;
      text(value);
      head.writeUInt32BE(at - lengthAt - 4, lengthAt);
    } else if (typeof value !== "number" || !wholeNumber(value)) return false;
  }
  head.writeUInt32BE(at - sizeAt - 4, sizeAt);
  return true;
}

/** Writes a number in the shortest of the forms between which amqplib chooses. Returns false for a number of another form. */
function wholeNumber(value: number): boolean {
  if (!Number.isInteger(value) || value < -0x80000000 || value >= 0x80000000) return false;
  if (value < 128 && value >= -128) {
    head[at++] = 0x62;
    head[at++] = value;
  } else if (value < 0x8000 && value >= -0x8000) {
    head[at++] = 0x73;
    at = head.writeInt16BE(value, at);
  } else {
    head[at++] = 0x49;
    at = head.writeInt32BE(value, at);
  }
  return true;
}

function shortString(value: string): void {
  const lengthAt = at++;
  text(value);
  head[lengthAt] = at - lengthAt - 1;
}

/** Writes a text as UTF-8. Most texts are short and ASCII, and a loop writes these faster than a call of the runtime. */
function text(value: string): void {
  const { length } = value;
  if (length <= LONGEST_LOOP) {
    let end = at;
    let index = 0;
    for (; index < length; index++) {
      const unit = value.charCodeAt(index);
      if (unit > 127) break;
      head[end++] = unit;
    }
    if (index === length) {
      at = end;
      return;
    }
  }
  at += head.write(value, at, "utf8");
}

const LONGEST_LOOP = 80;

function beginFrame(type: number, channel: number): number {
  const start = at;
  head[at++] = type;
  uint16(channel);
  at += 4;
  return start;
}

function endFrame(start: number): void {
  head.writeUInt32BE(at - start - 7, start + 3);
  head[at++] = END;
}

function uint16(value: number): void {
  head[at++] = value >>> 8;
  head[at++] = value;
}

function uint32(value: number): void {
  at = head.writeUInt32BE(value, at);
}
