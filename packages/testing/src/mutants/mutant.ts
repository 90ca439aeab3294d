import type { Variant } from "../world/variants.ts";

/** A change to one source file when its text is loaded. The product on disk stays unchanged. */
export interface Patch {
  /** The file's path in the repository. */
  readonly file: string;
  /** Text that the file contains exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** The product without one protection. If the simulator does not notice a mutant, nobody can trust the simulator. */
export interface Mutant {
  readonly name: string;
  /** What the mutant breaks, in words. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  /** How many seeds the simulator may need to notice the mutant. */
  readonly within: number;
  /**
   * The variant of the worlds in which the simulator searches. Set if another layer repairs the damage in ordinary worlds, or if the mutant rarely
   * has an effect in them.
   */
  readonly variant?: Variant;
}

/** Returns the text with the patches applied. Throws if a patch no longer fits, because a mutant that changes nothing proves nothing. */
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
