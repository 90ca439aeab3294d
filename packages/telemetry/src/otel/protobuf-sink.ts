/** Bytes of protobuf that grow at the end. One concept of state is shared by the functions of this file, because an object per write would be a cost. */
export interface ProtobufSink {
  bytes: Buffer;
  /** Where the next byte goes. */
  at: number;
}

const FIRST_BYTES = 16_384;

export function protobufSink(): ProtobufSink {
  return { bytes: Buffer.allocUnsafe(FIRST_BYTES), at: 0 };
}

/** Makes room for at least `more` bytes. The functions that write bounded values rely on their caller to have done this. */
export function makeRoom(to: ProtobufSink, more: number): void {
  if (to.at + more <= to.bytes.length) return;
  const larger = Buffer.allocUnsafe(Math.max(to.bytes.length * 2, to.at + more));
  to.bytes.copy(larger, 0, 0, to.at);
  to.bytes = larger;
}

/** Writes a whole number from 0 up to 2^53 as a varint. Takes at most 8 bytes. */
export function writeVarint(to: ProtobufSink, value: number): void {
  const { bytes } = to;
  let { at } = to;
  let rest = value;
  // Bit operations work on 32 bits only.
  while (rest > 0x7f_ff_ff_ff) {
    bytes[at++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  to.at = at;
}

/** Writes any 64-bit whole number as a varint, a negative one in two's complement. Takes at most 10 bytes. */
export function writeInt64(to: ProtobufSink, value: number): void {
  if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return writeVarint(to, value);
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    to.bytes[to.at++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  to.bytes[to.at++] = Number(rest);
}

/** Writes a text with its length, and makes room for it. */
export function writeText(to: ProtobufSink, text: string): void {
  const { length } = text;
  makeRoom(to, length * 3 + 8);
  if (length <= 0x7f && writeShortAscii(to, text)) return;
  writeVarint(to, Buffer.byteLength(text));
  to.at += to.bytes.write(text, to.at);
}

/** Writes a text of less than 128 characters with its length, if it is ASCII. Writes nothing and returns false otherwise. Relies on the room. */
export function writeShortAscii(to: ProtobufSink, text: string): boolean {
  const { bytes, at } = to;
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    bytes[at + 1 + i] = code;
  }
  bytes[at] = length;
  to.at = at + 1 + length;
  return true;
}

/** Writes bytes as they are, and makes room for them. */
export function writeBytes(to: ProtobufSink, from: Uint8Array): void {
  makeRoom(to, from.length);
  const { bytes, at } = to;
  // A call of `set` costs more than copying a few bytes by hand.
  if (from.length > LOOPED_BYTES) bytes.set(from, at);
  else for (let i = 0; i < from.length; i++) bytes[at + i] = from[i] as number;
  to.at = at + from.length;
}

const LOOPED_BYTES = 64;

/** Writes hex digits as bytes with their length, which is below 128. */
export function writeHex(to: ProtobufSink, hex: string): void {
  const { bytes } = to;
  let { at } = to;
  const length = hex.length >> 1;
  bytes[at++] = length;
  for (let i = 0; i < length; i++) {
    const high = DIGITS[hex.charCodeAt(2 * i)] as number;
    bytes[at++] = (high << 4) | (DIGITS[hex.charCodeAt(2 * i + 1)] as number);
  }
  to.at = at;
}

/** Writes a time of the SDK (whole seconds and nanoseconds) as the nanoseconds since 1970. Takes 8 bytes. */
export function writeTime(to: ProtobufSink, [seconds, nanoseconds]: readonly [number, number]): void {
  // 10^9 is 5^9 times 2^9, and the product with 5^9 is exact in a number.
  const product = seconds * FIVE_TO_9;
  const low = (product % TWO_TO_23) * 512 + nanoseconds;
  const carry = low >= TWO_TO_32 ? 1 : 0;
  writeFixed32(to, low - carry * TWO_TO_32);
  writeFixed32(to, Math.floor(product / TWO_TO_23) + carry);
}

const FIVE_TO_9 = 1_953_125;
const TWO_TO_23 = 8_388_608;
const TWO_TO_32 = 4_294_967_296;

/** Writes a whole number below 2^32 in 4 bytes. */
export function writeFixed32(to: ProtobufSink, value: number): void {
  const { bytes, at } = to;
  bytes[at] = value & 0xff;
  bytes[at + 1] = (value >>> 8) & 0xff;
  bytes[at + 2] = (value >>> 16) & 0xff;
  bytes[at + 3] = value >>> 24;
  to.at = at + 4;
}

/** Writes a number in 8 bytes. */
export function writeDouble(to: ProtobufSink, value: number): void {
  to.at = to.bytes.writeDoubleLE(value, to.at);
}

/** Begins a message within a message, whose length is not known yet. Returns the start for `endMessage`. */
export function beginMessage(to: ProtobufSink): number {
  makeRoom(to, LENGTH_BYTES + SMALL_FIELDS);
  to.at += LENGTH_BYTES;
  return to.at;
}

/** Ends the message that began at `start`, and writes its length in front of it. */
export function endMessage(to: ProtobufSink, start: number): void {
  const length = to.at - start;
  const needed = length < 0x80 ? 1 : length < 0x40_00 ? 2 : length < 0x20_00_00 ? 3 : 4;
  const shift = needed - LENGTH_BYTES;
  if (shift > 0) makeRoom(to, shift);
  if (shift !== 0) to.bytes.copyWithin(start + shift, start, start + length);
  to.at = start - LENGTH_BYTES;
  writeVarint(to, length);
  to.at += length;
}

/** Most messages that we write are spans of 128 bytes up to 16 KB, so their length takes 2 bytes and nothing has to move. */
const LENGTH_BYTES = 2;
/** The room for what callers write before the next text: a few tags and numbers. */
const SMALL_FIELDS = 32;

/** The value of each digit by its character code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCodePoint(code), 16) || 0);
