/** A fault that happens once: `happened` says true then, and false when it was taken back before. */
export interface OneFault {
  readonly happened: Promise<boolean>;
  settle(happened: boolean): void;
}

/** Cuts the first connection over which so many bytes have reached its client. */
export interface CutFault extends OneFault {
  readonly afterBytes: number;
}

/** What all connections of a proxy look at before they pass anything on. */
export interface TcpFaults {
  /** By how much each piece is late, in milliseconds. */
  delayMs: number;
  /** Connections stay open and nothing passes. */
  blackHole: boolean;
  cut: CutFault | null;
  /** The next answer to something that is asked from now on is swallowed. */
  lostReply: OneFault | null;
}

export function noFaults(): TcpFaults {
  return { delayMs: 0, blackHole: false, cut: null, lostReply: null };
}

export function oneFault(): OneFault {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  return { happened: promise, settle: resolve };
}
