import type { Patch } from "@toolbus/testing";

/** The product with one check removed, and the test files. A test in one of them must fail. */
export interface TestMutant {
  readonly name: string;
  /** The effect of the missing check. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  readonly tests: readonly string[];
}
