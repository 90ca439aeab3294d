import type { Patch } from "@toolbus/testing";

/** The product with one check removed, and the test files of which one has to fail then. */
export interface TestMutant {
  readonly name: string;
  /** What is missing. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  readonly tests: readonly string[];
}
