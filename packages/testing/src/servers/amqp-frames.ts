import type { Taken } from "./wire.ts";

/** A method of AMQP 0-9-1: its class and number, and its raw arguments. */
export interface AmqpMethod {
  readonly channel: number;
  /** The class and number, such as "10.10" for connection.start. */
  readonly id: string;
  readonly args: Buffer;
}

const METHOD = 1;
const HEADER_BYTES = 7;
const FRAME_END = 0xce;

/** The first bytes that a client sends. */
export const PROTOCOL_HEADER = Buffer.from("AMQP\0\0\x09\x01", "latin1");

/** Takes the next frame. The value is null if the frame is not a method, for example a heartbeat. */
export function takeFrame(bytes: Buffer): Taken<AmqpMethod | null> {
  // A server of another version, or of another protocol, answers with its own header instead of a frame.
  if (bytes.length >= 4 && bytes.toString("latin1", 0, 4) === "AMQP") throw new Error("it speaks another version of AMQP than 0-9-1");
  if (bytes.length < HEADER_BYTES) return null;
  const size = bytes.readUInt32BE(3);
  const used = HEADER_BYTES + size + 1;
  if (bytes[0] === undefined || bytes[0] < 1 || bytes[0] > 8) throw new Error("it does not speak AMQP");
  if (bytes.length < used) return null;
  if (bytes[used - 1] !== FRAME_END) throw new Error("it does not speak AMQP");
  if (bytes[0] !== METHOD) return { value: null, used };
  const payload = bytes.subarray(HEADER_BYTES, HEADER_BYTES + size);
  const id = `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`;
  return { value: { channel: bytes.readUInt16BE(1), id, args: payload.subarray(4) }, used };
}

export function methodFrame(channel: number, id: string, ...args: readonly Buffer[]): Buffer {
  const [group = 0, method = 0] = id.split(".").map(Number);
  const payload = Buffer.concat([short(group), short(method), ...args]);
  const header = Buffer.concat([Buffer.from([METHOD]), short(channel), long(payload.length)]);
  return Buffer.concat([header, payload, Buffer.from([FRAME_END])]);
}

export function short(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function shortText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

export function longText(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([long(bytes.length), bytes]);
}

/** Returns the texts among the fields of a table at the beginning of the bytes. Skips other fields. */
export function textsOf(table: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const end = 4 + table.readUInt32BE(0);
  let at = 4;
  while (at < end) {
    const nameLength = table.readUInt8(at);
    const name = table.toString("utf8", at + 1, at + 1 + nameLength);
    at += 1 + nameLength;
    const type = String.fromCharCode(table.readUInt8(at));
    at += 1;
    const size = fieldSize(type, table, at);
    if (type === "S") texts.set(name, table.toString("utf8", at + 4, at + size));
    at += size;
  }
  return texts;
}

// The letters are those that RabbitMQ uses: https://www.rabbitmq.com/amqp-0-9-1-errata, section 3.
const FIXED_SIZES: Readonly<Record<string, number>> = { t: 1, b: 1, B: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5, l: 8, d: 8, T: 8, V: 0 };

function fieldSize(type: string, table: Buffer, at: number): number {
  return FIXED_SIZES[type] ?? 4 + table.readUInt32BE(at);
}
