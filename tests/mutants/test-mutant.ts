import type { Patch } from "@toolbus/testing";

/** The product with one check removed, and the test files of which at least one must have a failing test. */
export interface TestMutant {
  readonly name: string;
  /** The effect of the missing check. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  readonly tests: readonly string[];
}
