import { Writable } from "node:stream";
import type { ChannelModel } from "amqplib";

/**
 * Returns a function that gathers the writes to a connection in one turn of the event loop into one write to its socket. Call it after each frame.
 * amqplib writes each frame separately, so one tool call with its answer costs five system calls. With gathered writes under load, several tool calls
 * share one system call.
 *
 * The socket is not a public part of amqplib. If there is no socket, nothing is gathered and everything else works.
 */
export function gatheredWrites({ connection }: Pick<ChannelModel, "connection">): () => void {
  const socket = "stream" in connection ? connection.stream : undefined;
  if (!(socket instanceof Writable)) return () => undefined;
  let gathering = false;
  const write = (): void => {
    gathering = false;
    socket.uncork();
  };
  // amqplib hands frames to the socket in an immediate, which it requests in the next tick. The immediate that we request here runs after amqplib's.
  const afterFrames = (): void => void setImmediate(write);
  return () => {
    if (gathering) return;
    gathering = true;
    socket.cork();
    process.nextTick(afterFrames);
  };
}
