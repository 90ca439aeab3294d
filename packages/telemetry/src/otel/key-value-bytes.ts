import type { AttributeValue } from "@opentelemetry/api";
import {
  beginMessage,
  endMessage,
  makeRoom,
  type ProtobufSink,
  writeBytes,
  writeDouble,
  writeInt64,
  writeShortAscii,
  writeText,
} from "./protobuf-sink.ts";

interface KnownKey {
  /** The field of the key in OTLP's `KeyValue`. */
  readonly field: Uint8Array;
  /** The whole `KeyValue` of each value so far. It is null if the values of this key do not recur, as for ids. */
  values: Map<AttributeValue, Uint8Array> | null;
}

/** Our own names are about a hundred. A tool may add names of its own, and the cache must not grow with them. */
const MOST_KEYS = 1000;
const MOST_VALUES = 64;
const LONGEST_KEPT = 64;

/**
 * Returns a writer of attributes in OTLP's protobuf. It remembers the bytes of keys and of values that recur, such as the names of topics, so that
 * most attributes of a span are copied and not encoded.
 */
export function keyValueBytes(): { writeKeyValue(to: ProtobufSink, fieldTag: number, key: string, value: AttributeValue): void } {
  const keys = new Map<string, KnownKey>();
  return { writeKeyValue };

  function writeKeyValue(to: ProtobufSink, fieldTag: number, key: string, value: AttributeValue): void {
    const known = keys.get(key) ?? learn(key);
    const { values } = known;
    const kept = values?.get(value);
    makeRoom(to, 16);
    to.bytes[to.at++] = fieldTag;
    if (kept) return writeBytes(to, kept);
    const start = to.at;
    encode(to, known.field, value);
    if (values && recurs(value)) keep(known, values, value, to.bytes.subarray(start, to.at));
  }

  function learn(key: string): KnownKey {
    const to: ProtobufSink = { bytes: Buffer.allocUnsafe(key.length * 3 + 16), at: 0 };
    to.bytes[to.at++] = TEXT_1;
    writeText(to, key);
    const known: KnownKey = { field: Uint8Array.prototype.slice.call(to.bytes, 0, to.at), values: new Map() };
    if (keys.size < MOST_KEYS) keys.set(key, known);
    return known;
  }
}

/** The tags of the first two fields, if they are texts or messages. */
const TEXT_1 = 0x0a;
const TEXT_2 = 0x12;

function recurs(value: AttributeValue): boolean {
  return typeof value === "string" ? value.length <= LONGEST_KEPT : typeof value !== "object";
}

function keep(known: KnownKey, values: Map<AttributeValue, Uint8Array>, value: AttributeValue, bytes: Uint8Array): void {
  if (values.size < MOST_VALUES) values.set(value, Uint8Array.prototype.slice.call(bytes));
  else known.values = null;
}

function encode(to: ProtobufSink, keyField: Uint8Array, value: AttributeValue): void {
  if (typeof value === "string" && writeShortPair(to, keyField, value)) return;
  const start = beginMessage(to);
  writeBytes(to, keyField);
  makeRoom(to, 16);
  to.bytes[to.at++] = TEXT_2;
  writeAnyValue(to, value);
  endMessage(to, start);
}

/** Writes a pair whose lengths are known in advance, because it is short and ASCII. Most pairs are. */
function writeShortPair(to: ProtobufSink, keyField: Uint8Array, text: string): boolean {
  const size = keyField.length + 4 + text.length;
  if (size > 0x7f) return false;
  makeRoom(to, size + 1);
  const start = to.at;
  to.bytes[to.at++] = size;
  writeBytes(to, keyField);
  to.bytes[to.at++] = TEXT_2;
  to.bytes[to.at++] = text.length + 2;
  to.bytes[to.at++] = TEXT_1;
  if (writeShortAscii(to, text)) return true;
  to.at = start;
  return false;
}

/** Writes an `AnyValue` with its length. */
function writeAnyValue(to: ProtobufSink, value: unknown): void {
  const start = beginMessage(to);
  makeRoom(to, 16);
  if (typeof value === "string") {
    to.bytes[to.at++] = TEXT_1;
    writeText(to, value);
  } else if (typeof value === "boolean") {
    to.bytes[to.at++] = 0x10;
    to.bytes[to.at++] = value ? 1 : 0;
  } else if (typeof value === "number") writeNumber(to, value);
  else if (value instanceof Uint8Array) writeBinary(to, value);
  else if (Array.isArray(value)) writeArray(to, value);
  else if (typeof value === "object" && value !== null) writeObject(to, value);
  endMessage(to, start);
}

function writeNumber(to: ProtobufSink, value: number): void {
  if (Number.isInteger(value) && value >= -TWO_TO_63 && value < TWO_TO_63) {
    to.bytes[to.at++] = 0x18;
    writeInt64(to, value);
  } else {
    to.bytes[to.at++] = 0x21;
    writeDouble(to, value);
  }
}

const TWO_TO_63 = 2 ** 63;

function writeBinary(to: ProtobufSink, value: Uint8Array): void {
  to.bytes[to.at++] = 0x3a;
  const start = beginMessage(to);
  writeBytes(to, value);
  endMessage(to, start);
}

function writeArray(to: ProtobufSink, values: readonly unknown[]): void {
  to.bytes[to.at++] = 0x2a;
  const start = beginMessage(to);
  for (const value of values) {
    makeRoom(to, 16);
    to.bytes[to.at++] = TEXT_1;
    writeAnyValue(to, value);
  }
  endMessage(to, start);
}

function writeObject(to: ProtobufSink, value: object): void {
  to.bytes[to.at++] = 0x32;
  const start = beginMessage(to);
  for (const [key, each] of Object.entries(value)) {
    makeRoom(to, 16);
    to.bytes[to.at++] = TEXT_1;
    const pair = beginMessage(to);
    to.bytes[to.at++] = TEXT_1;
    writeText(to, key);
    makeRoom(to, 16);
    to.bytes[to.at++] = TEXT_2;
    writeAnyValue(to, each);
    endMessage(to, pair);
  }
  endMessage(to, start);
}
