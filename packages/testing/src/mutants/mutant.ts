import type { Variant } from "../world/variants.ts";

/** A change to one source file when its text is loaded. The product on disk stays unchanged. */
export interface Patch {
  /** Path in the repository. */
  readonly file: string;
  /** Text that the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** The product without one protection. A simulator that does not notice cannot be trusted. */
export interface Mutant {
  readonly name: string;
  /** What is missing. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  /** How many seeds it may take to notice. */
  readonly within: number;
  /** The world in which it is searched for, if not any: another layer repairs what it breaks, or it rarely has an effect. */
  readonly variant?: Variant;
}

/** The text with the patches applied. Throws if a patch does not fit any more: a mutant that changes nothing would look caught or missed for no reason. */
export function patched(mutant: Pick<Mutant, "name" | "patches">, file: string, text: string): string {
  return mutant.patches
    .filter((patch) => file.endsWith(`/${patch.file}`))
    .reduce((source, { find, replace }) => {
      const parts = source.split(find);
      if (parts.length !== 2)
        throw new Error(
          `The mutant "${mutant.name}" does not fit ${file} any more: the file has its text ${parts.length - 1} times. Rewrite the mutant.`,
        );
      return parts.join(replace);
    }, text);
}
