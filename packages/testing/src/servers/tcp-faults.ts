/** A fault that happens once. `happened` resolves with true when it happens, or with false if the fault was cancelled first. */
export interface OneFault {
  readonly happened: Promise<boolean>;
  settle(happened: boolean): void;
}

/** A fault that cuts the first connection that delivers this many bytes to its client. */
export interface CutFault extends OneFault {
  readonly afterBytes: number;
}

/** The faults that all connections of a proxy check before they pass anything on. */
export interface TcpFaults {
  /** The delay of each piece, in milliseconds. */
  delayMs: number;
  /** Whether connections stay open but pass nothing on. */
  blackHole: boolean;
  cut: CutFault | null;
  /** If set, the next answer to a request is dropped. */
  lostReply: OneFault | null;
}

export function noFaults(): TcpFaults {
  return { delayMs: 0, blackHole: false, cut: null, lostReply: null };
}

export function oneFault(): OneFault {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { happened: promise, settle: resolve };
}
