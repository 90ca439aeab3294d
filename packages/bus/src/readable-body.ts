import { MAX_BODY_BYTES } from "@toolbus/contracts";

/** More than a body may have in either encoding, so that a truncated one is also refused for its size. Even, like UTF-16. */
const READ_BYTES = 2 * MAX_BODY_BYTES + 2;

/**
 * The bytes of a body as far as anybody reads them. A broker may deliver many times the size of our messages to the consumers of a queue; such a message
 * becomes a dead letter with its beginning, and the rest of it is not decoded first.
 */
export function readableBody(content: Buffer): Buffer {
  return content.length <= READ_BYTES ? content : content.subarray(0, READ_BYTES);
}
