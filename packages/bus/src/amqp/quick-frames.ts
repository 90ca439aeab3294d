import { messageFrames, type PublishFields } from "./message-frames.ts";

/**
 * Lets a channel write each message as the one buffer of `messageFrames`. Returns the same channel. amqplib's own `publish` still does everything
 * else, so confirms, traced clients and the refusals of a closed channel remain as they are.
 *
 * `sendMessage` and the parts of the connection are not public parts of amqplib. If they look different, the channel is not changed.
 */
export function quickFrames<C extends object>(channel: C): C {
  if (!hasParts(channel)) return channel;
  const { connection, ch } = channel;
  const usual = channel.sendMessage;
  // amqplib replaces this property when the channel closes.
  channel.sendMessage = (fields, properties, content) => {
    const frames = fields === properties && Buffer.isBuffer(content) ? messageFrames(ch, fields, content, connection.frameMax) : null;
    const buffer = connection.channels[ch]?.buffer;
    if (frames === null || !buffer) return usual.call(channel, fields, properties, content);
    // The heartbeat of a connection that sends something is not needed.
    connection.sentSinceLastCheck = true;
    return buffer.write(frames);
  };
  return channel;
}

/** The parts of a channel that this file uses. */
interface Parts {
  readonly ch: number;
  readonly connection: {
    readonly frameMax: number;
    readonly channels: readonly ({ readonly buffer: { write(bytes: Buffer): boolean } } | null | undefined)[];
    sentSinceLastCheck: boolean;
  };
  sendMessage(fields: PublishFields, properties: PublishFields, content: Buffer): boolean;
}

function hasParts(channel: object): channel is Parts {
  if (!("sendMessage" in channel && typeof channel.sendMessage === "function")) return false;
  if (!("ch" in channel && typeof channel.ch === "number" && "connection" in channel)) return false;
  const { ch, connection } = channel;
  if (typeof connection !== "object" || connection === null) return false;
  if (!("frameMax" in connection && typeof connection.frameMax === "number")) return false;
  if (!("sentSinceLastCheck" in connection && typeof connection.sentSinceLastCheck === "boolean")) return false;
  if (!("channels" in connection && Array.isArray(connection.channels))) return false;
  const entry: unknown = connection.channels[ch];
  if (typeof entry !== "object" || entry === null || !("buffer" in entry)) return false;
  const { buffer } = entry;
  return typeof buffer === "object" && buffer !== null && "write" in buffer && typeof buffer.write === "function";
}
