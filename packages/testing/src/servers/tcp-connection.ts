import { connect, type Socket } from "node:net";
import type { CutFault, OneFault, TcpFaults } from "./tcp-faults.ts";
import { tcpLane } from "./tcp-lane.ts";

/** One client's connection through a proxy, and the proxy's connection to the server. */
export interface TcpConnection {
  /** Resets both sides. */
  cut(): void;
  /** Continues after a fault. Use it when a fault has ended. */
  wake(): void;
  /** Resolves when both sides are closed. */
  readonly closed: Promise<void>;
}

export function tcpConnection(client: Socket, target: { readonly host: string; readonly port: number }, faults: TcpFaults): TcpConnection {
  const server = connect({ ...target, noDelay: true, allowHalfOpen: true });
  client.setNoDelay(true);
  let askedUnder: OneFault | null = null;
  let counted: { readonly fault: CutFault; bytes: number } | null = null;
  let failed = false;
  let isCut = false;

  const toServer = tcpLane(client, server, faults, (piece) => {
    askedUnder = faults.lostReply;
    return piece;
  });
  const toClient = tcpLane(server, client, faults, (piece) => {
    if (isCut) return null;
    const { lostReply, cut: fault } = faults;
    if (lostReply && askedUnder === lostReply) {
      faults.lostReply = null;
      cut();
      lostReply.settle(true);
      return null;
    }
    return fault ? upTo(fault, piece) : piece;
  });
  const lanes = [toServer, toClient];
  const sides = [client, server];
  for (const side of sides) {
    side.on("error", (error) => {
      if (isResetRefused(error)) closeHandle(side);
      failed = true;
      passOnFailure();
    });
  }
  const closed = Promise.all(sides.map(closeOf)).then(() => lanes.forEach((lane) => lane.stop()));
  return {
    cut,
    closed,
    wake() {
      lanes.forEach((lane) => lane.wake());
      passOnFailure();
    },
  };

  function cut(): void {
    isCut = true;
    lanes.forEach((lane) => lane.stop());
    for (const side of sides) side.resetAndDestroy();
  }

  /** If one side fails, the other side learns of it through the network, but not through a black hole. */
  function passOnFailure(): void {
    if (failed && !faults.blackHole) cut();
  }

  /** Returns the part of a piece that may pass before the cut. The bytes are counted from the moment when the test requested the fault. */
  function upTo(fault: CutFault, piece: Buffer): Buffer | null {
    if (counted?.fault !== fault) counted = { fault, bytes: 0 };
    const room = fault.afterBytes - counted.bytes;
    counted.bytes += piece.length;
    if (piece.length < room) return piece;
    faults.cut = null;
    isCut = true;
    // A reset overtakes pieces that were not sent yet, so the cut happens after the write.
    client.write(piece.subarray(0, room), () => {
      cut();
      fault.settle(true);
    });
    return null;
  }
}

function closeOf(side: Socket): Promise<void> {
  return new Promise((resolve) => {
    side.once("close", () => resolve());
    side.on("error", (error) => {
      if (isResetRefused(error)) resolve();
    });
  });
}

/**
 * Returns whether a socket could not be reset because it was being shut down. `resetAndDestroy` shuts a socket down first. If the other end closes in
 * the same turn of the event loop, Node 24.21 destroys the socket too early. Node then reports EINVAL, emits no `close`, and leaves the handle open.
 */
function isResetRefused(error: Error): boolean {
  return "syscall" in error && error.syscall === "reset";
}

/** Closes the handle that a socket leaves open after a refused reset. The handle is not a public part of a socket. */
function closeHandle(side: Socket): void {
  const handle: unknown = "_handle" in side ? side._handle : null;
  if (typeof handle === "object" && handle !== null && "close" in handle && typeof handle.close === "function") handle.close();
}
