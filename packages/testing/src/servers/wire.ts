import { once } from "node:events";
import { connect } from "node:net";

/** The value that a reader found at the beginning of the bytes, and the number of bytes that it used. Null if more bytes are needed. */
export type Taken<T> = { readonly value: T; readonly used: number } | null;

/**
 * A connection that is read piece by piece. If the signal aborts, the peer closes the connection, or the connection fails, all pending reads reject
 * and the connection is closed. Only one read may be pending.
 */
export interface Wire {
  write(bytes: Buffer | string): void;
  read<T>(take: (bytes: Buffer) => Taken<T>): Promise<T>;
  close(): void;
}

export async function openWire(target: { readonly host: string; readonly port: number }, signal: AbortSignal): Promise<Wire> {
  signal.throwIfAborted();
  const socket = connect({ host: target.host, port: target.port, noDelay: true });
  let bytes: Buffer = Buffer.alloc(0);
  let failure: Error | null = null;
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const onAbort = (): void => void socket.destroy(new Error("it did not answer in time", { cause: signal.reason }));
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    change();
  });
  socket.on("error", (error) => {
    failure ??= error;
  });
  socket.on("close", () => {
    failure ??= new Error("it closed the connection");
    signal.removeEventListener("abort", onAbort);
    change();
  });
  signal.addEventListener("abort", onAbort, { once: true });
  await once(socket, "connect");
  return {
    write: (piece) => void socket.write(piece),
    async read(take) {
      for (;;) {
        const taken = take(bytes);
        if (taken) {
          bytes = bytes.subarray(taken.used);
          return taken.value;
        }
        if (failure) throw failure;
        await changed.promise;
      }
    },
    close: () => void socket.destroy(),
  };
}

/** Opens a connection, does the work over it, and closes it. */
export async function withWire<T>(
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
  work: (wire: Wire) => Promise<T>,
): Promise<T> {
  const wire = await openWire(target, signal);
  try {
    return await work(wire);
  } finally {
    wire.close();
  }
}

/** Takes one line that ends with CR LF, and returns it without its end. */
export function takeLine(bytes: Buffer): Taken<string> {
  const end = bytes.indexOf("\r\n");
  return end < 0 ? null : { value: bytes.toString("utf8", 0, end), used: end + 2 };
}
