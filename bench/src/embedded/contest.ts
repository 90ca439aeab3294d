import type { Work } from "../paired-slices.ts";

/** Two ways to do the same work, ready to be measured. */
export interface Contest {
  /** Through Toolbus. */
  readonly subject: Work;
  /** Without it. */
  readonly bare: Work;
  /** Leaves nothing running. */
  stop(): Promise<void>;
}
