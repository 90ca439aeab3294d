import type { Variant } from "../world/variants.ts";

/** A change to one source file, as its text is loaded: the product on disk stays as it is. */
export interface Patch {
  /** Path in the repository. */
  readonly file: string;
  /** Text that stands in it exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** The product with one protection taken out. A simulator that does not notice is not worth its answers. */
export interface Mutant {
  readonly name: string;
  /** What is missing. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  /** How many seeds it may take to notice. */
  readonly within: number;
  /** The world in which it is looked for, where that is not any: another layer repairs what it breaks, or it shows seldom. */
  readonly variant?: Variant;
}

/** The text with the patches made. Throws when a patch does not fit any more: a mutant that mutates nothing would look caught or missed for no reason. */
export function patched(mutant: Pick<Mutant, "name" | "patches">, file: string, text: string): string {
  return mutant.patches
    .filter((patch) => file.endsWith(`/${patch.file}`))
    .reduce((source, { find, replace }) => {
      const parts = source.split(find);
      if (parts.length !== 2)
        throw new Error(
          `The mutant "${mutant.name}" does not fit ${file} any more: its text is there ${parts.length - 1} times. Write it anew.`,
        );
      return parts.join(replace);
    }, text);
}
