/** A section of a text: a heading, or a member of JSON. */
export interface Section {
  /** The depth of the section, where 1 is the outermost. */
  readonly level: number;
  readonly title: string;
  readonly at: number;
}

/** The best cuts of one kind of text. Callers request the places in order, each after the previous one. */
export interface Cuts {
  /** Returns the best place from `lo` to `hi`, and the last of several equally good ones. Returns `hi` if there is none. */
  best(lo: number, hi: number): number;
  heading(at: number): string;
  sections(): readonly Section[];
}
