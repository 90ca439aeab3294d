import { Writable } from "node:stream";
import type { ChannelModel } from "amqplib";

/**
 * Gathers what is written to a connection in one turn of the event loop into one write to its socket. amqplib writes each frame by itself: five
 * system calls for a call and its answer, where with many at a time less than one will do. To be called after each frame.
 *
 * The socket is no public part of amqplib. Without it nothing is gathered, and all else works.
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
