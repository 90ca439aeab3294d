/** A fault that happens once. `happened` then resolves with true, and with false if the fault was cancelled before. */
export interface OneFault {
  readonly happened: Promise<boolean>;
  settle(happened: boolean): void;
}

/** Cuts the first connection that delivers so many bytes to its client. */
export interface CutFault extends OneFault {
  readonly afterBytes: number;
}

/** The faults that all connections of a proxy check before they pass anything on. */
export interface TcpFaults {
  /** The delay of each piece, in milliseconds. */
  delayMs: number;
  /** Connections stay open and nothing passes. */
  blackHole: boolean;
  cut: CutFault | null;
  /** The next answer to a request from now on is dropped. */
  lostReply: OneFault | null;
}

export function noFaults(): TcpFaults {
  return { delayMs: 0, blackHole: false, cut: null, lostReply: null };
}

export function oneFault(): OneFault {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { happened: promise, settle: resolve };
}
