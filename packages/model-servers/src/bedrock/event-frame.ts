import { crc32 } from "node:zlib";
import type { Json } from "@toolbus/contracts";

/**
 * Returns one message of `application/vnd.amazon.eventstream`. It consists of the lengths, their checksum, the headers, the payload and a checksum of
 * everything. Source: docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html and smithy.io, "Amazon Event Stream".
 */
export function eventFrame(headers: Readonly<Record<string, string>>, payload: Json | string): Buffer {
  const body = Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload));
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(PRELUDE_BYTES + head.length + body.length + CHECKSUM_BYTES, 0);
  prelude.writeUInt32BE(head.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([message, checksum(message)]);
}

const CHECKSUM_BYTES = 4;
const PRELUDE_BYTES = 8 + CHECKSUM_BYTES;
const TEXT = 7;

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([TEXT]), length, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(CHECKSUM_BYTES);
  sum.writeUInt32BE(crc32(bytes) >>> 0, 0);
  return sum;
}
