import { Writable } from "node:stream";
import type { ChannelModel } from "amqplib";

/**
 * Gathers the writes to a connection in one turn of the event loop into one write to its socket. amqplib writes each frame separately: five system calls
 * for a call and its answer, although under load less than one is enough. Use it after each frame.
 *
 * The socket is not a public part of amqplib. Without the socket nothing is gathered, and everything else works.
 */
export function gatheredWrites({ connection }: Pick<ChannelModel, "connection">): () => void {
  const socket = "stream" in connection ? connection.stream : undefined;
  if (!(socket instanceof Writable)) return () => undefined;
  let gathering = false;
  const write = (): void => {
    gathering = false;
    socket.uncork();
  };
  // amqplib hands frames to the socket in an immediate, which it asks for in the next tick: this one comes after it.
  const afterFrames = (): void => void setImmediate(write);
  return () => {
    if (gathering) return;
    gathering = true;
    socket.cork();
    process.nextTick(afterFrames);
  };
}
