import type { Patch } from "@toolbus/testing";

/** One small change that makes the words of a requirement untrue. One of the tests that its row names must then fail. */
export interface Mutation {
  /** What is wrong with the product after the change. */
  readonly breaks: string;
  /** The patches of code, a manifest, configuration or a document. */
  readonly patches: readonly Patch[];
  /** The test file to run, if the row's tests belong to a conformance suite. */
  readonly runs?: string;
  /** Test files of the row that take minutes, so they are not run for this mutation. The row's other tests must notice the mutation. */
  readonly without?: readonly string[];
}

/** Mutations by the id of their requirement. */
export type Mutations = Readonly<Record<string, Mutation>>;
