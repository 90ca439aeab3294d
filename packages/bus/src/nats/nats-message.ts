import type { Message } from "@toolbus/contracts";
import { type Msg, MsgHdrsImpl, MsgImpl } from "@nats-io/transport-node";
import { type HeaderBlock, readHeaderBlock, writeHeaderBlock } from "./header-block.ts";
import { topicOf } from "./topology.ts";
import { fromWire, toHeaders } from "./wire.ts";

/** Returns the headers of a message as bytes, because the client would take longer to write them. */
export function natsHeaders(message: Message): MsgHdrsImpl {
  return new WrittenHeaders(writeHeaderBlock(toHeaders(message)));
}

/** Returns the message that a server delivered. Never throws, whoever sent it. */
export function messageOf(msg: Msg, fallbackId: string): Message {
  return fromWire(topicOf(msg.subject), headerBlockOf(msg).headers, msg.data, fallbackId);
}

/**
 * Returns the block before the body. Unlike `msg.headers` it never throws, because an exception in a callback stops the client's reading for good.
 */
export function headerBlockOf(msg: Msg): HeaderBlock {
  if (!(msg instanceof MsgImpl)) return NO_HEADERS;
  return msg._msg.hdr > 0 ? readHeaderBlock(msg._rdata.subarray(0, msg._msg.hdr)) : NO_HEADERS;
}

const NO_HEADERS: HeaderBlock = readHeaderBlock(new Uint8Array());

/** Headers that are already encoded. The client calls only the method that returns their bytes. */
class WrittenHeaders extends MsgHdrsImpl {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  override encode(): Uint8Array {
    return this.#bytes;
  }
}
