/** A section of a text: a heading, or a member of JSON. */
export interface Section {
  /** 1 is the outermost. */
  readonly level: number;
  readonly title: string;
  readonly at: number;
}

/** The best cuts of a text of one kind. The places are requested in order, each after the previous one. */
export interface Cuts {
  /** The best place from `lo` to `hi`; the last of several equally good ones. `hi` itself if there is none. */
  best(lo: number, hi: number): number;
  heading(at: number): string;
  sections(): readonly Section[];
}
