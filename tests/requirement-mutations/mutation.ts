import type { Patch } from "@toolbus/testing";

/** One small change that makes the words of a requirement untrue. One of the tests that its row names has to fail then. */
export interface Mutation {
  /** What is wrong with the product after the change. */
  readonly breaks: string;
  /** In code, a manifest, configuration or a document. */
  readonly patches: readonly Patch[];
  /** The test file that runs the row's cases, if these belong to a conformance suite. */
  readonly runs?: string;
  /** Files of the row that take minutes and are not run for this: its other tests have to notice it. */
  readonly without?: readonly string[];
}

/** By the id of the requirement. */
export type Mutations = Readonly<Record<string, Mutation>>;
