/** A section of a text: a heading, or a member of JSON. */
export interface Section {
  /** 1 is the outermost. */
  readonly level: number;
  readonly title: string;
  readonly at: number;
}

/** Where a text of one kind is best cut. The places are asked for in order, each after the one before. */
export interface Cuts {
  /** The best place from `lo` to `hi`; the last of several that are as good. `hi` itself where there is none. */
  best(lo: number, hi: number): number;
  heading(at: number): string;
  sections(): readonly Section[];
}
