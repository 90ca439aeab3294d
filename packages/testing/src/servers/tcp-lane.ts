import type { Socket } from "node:net";
import type { TcpFaults } from "./tcp-faults.ts";

/** One direction of a connection. */
export interface TcpLane {
  /** Continues with the waiting pieces. Use it when a fault has ended. */
  wake(): void;
  stop(): void;
}

/** Decides about a due piece. Returns the part to pass on, or null if the lane must stop. */
export type Passing = (piece: Buffer) => Buffer | null;

/** The most that one lane holds back, in bytes. Beyond that, the lane stops reading from its sender, as a full network would. */
const HELD_AT_MOST = 1024 * 1024;

type Held = { readonly due: number; readonly piece: Buffer | null };

/**
 * Passes on what one socket sends to the other, in order. It holds each piece for the delay that is set when the piece arrives. It passes on the end
 * of the stream in the same way.
 */
export function tcpLane(from: Socket, to: Socket, faults: Readonly<TcpFaults>, pass: Passing): TcpLane {
  const queue: Held[] = [];
  let held = 0;
  let full = false;
  let timer: NodeJS.Timeout | null = null;

  const hold = (piece: Buffer | null): void => {
    queue.push({ due: performance.now() + faults.delayMs, piece });
    held += piece?.length ?? 0;
    flow();
  };
  from.on("data", (piece: Buffer) => hold(piece));
  from.on("end", () => hold(null));
  to.on("drain", () => {
    full = false;
    flow();
  });
  // Calls `flow` at once, so that the lane does not read a connection that begins in a black hole.
  flow();

  return {
    wake: flow,
    stop() {
      queue.length = 0;
      if (timer) clearTimeout(timer);
    },
  };

  function flow(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    while (!faults.blackHole && !full && queue[0] && queue[0].due <= performance.now()) {
      const { piece } = queue[0];
      queue.shift();
      held -= piece?.length ?? 0;
      if (piece) say(piece);
      else to.end();
    }
    const next = queue[0];
    if (next && !faults.blackHole && !full) timer = setTimeout(flow, Math.max(1, next.due - performance.now()));
    if (faults.blackHole || full || held > HELD_AT_MOST) from.pause();
    else from.resume();
  }

  function say(piece: Buffer): void {
    const passed = pass(piece);
    if (passed) full = !to.write(passed);
  }
}
