import { MAX_BODY_BYTES } from "@toolbus/contracts";

/** Over what a body may have in either encoding, so that one that was cut is refused for its size as well. Even, as UTF-16 is. */
const READ_BYTES = 2 * MAX_BODY_BYTES + 2;

/**
 * The bytes of a body as far as anybody reads them. A broker may deliver many times what a message of ours has, to whoever consumes the queue it was put
 * on; such a one becomes a dead letter with its beginning, and the rest of it is not made into text first.
 */
export function readableBody(content: Buffer): Buffer {
  return content.length <= READ_BYTES ? content : content.subarray(0, READ_BYTES);
}
