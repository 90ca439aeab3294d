/** A test that proves a requirement: its file from the root of the repository, and its name exactly as written in `it("…")`. */
export interface Proof {
  readonly file: string;
  readonly test: string;
}

/** Which tests prove which requirement. To mark a row as met, add one line here and run `npm run docs`. */
export const met: Readonly<Record<string, readonly Proof[]>> = {};

/** The met rows whose outside world (a vendor, a cluster) is played by a server that speaks the real protocol. */
export const metOnTheWire: readonly string[] = [];
