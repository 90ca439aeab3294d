import { MAX_BODY_BYTES } from "@toolbus/contracts";

/**
 * The number of bytes that we decode. It exceeds the limit of a body in both encodings, so a truncated body is still refused for its size. The number
 * is even, because a UTF-16 unit has two bytes.
 */
const READ_BYTES = 2 * MAX_BODY_BYTES + 2;

/**
 * Returns the bytes of a body that we decode. A broker may deliver messages that are many times larger than ours. Such a message becomes a dead
 * letter that contains only the beginning of the body, so decoding the rest would be wasted work.
 */
export function readableBody(content: Buffer): Buffer {
  return content.length <= READ_BYTES ? content : content.subarray(0, READ_BYTES);
}
