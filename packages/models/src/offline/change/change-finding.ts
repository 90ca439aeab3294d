import type { Severity } from "@toolbus/contracts";
import type { ChangeKind } from "./change-kind.ts";
import type { RuleName } from "./change-rules.ts";

/** A place in the release that shows a finding. Its texts are plain lines without control characters. */
export type Evidence =
  | { readonly commit: string; readonly subject: string }
  /** The first and the last changed line of the new file, or null if the facts have no lines. */
  | { readonly file: string; readonly lines: readonly [first: number, last: number] | null }
  | { readonly dependency: string; readonly from: string | null; readonly to: string | null }
  /** An advisory of which no commit of the release is known. */
  | { readonly advisory: string };

/** One statement of the rules about a release. */
export interface ChangeFinding {
  readonly kind: ChangeKind;
  /** The rule that found it. The name of a rule does not change. */
  readonly rule: RuleName;
  readonly severity: Severity;
  /** One sentence with the figures that support it. */
  readonly text: string;
  /** The places, the most telling first. */
  readonly evidence: readonly Evidence[];
  /** How many further places there are. */
  readonly evidenceOmitted: number;
  /** What to do, in one sentence. */
  readonly advice: string;
}

/** What the rules say about a release. */
export interface ChangeAssessment {
  readonly severity: Severity;
  /** The sentence that decides the severity. */
  readonly because: string;
  /** How much of the release the facts show. It never changes the severity. */
  readonly confidence: Severity;
  /** The most serious one first. */
  readonly findings: readonly ChangeFinding[];
  /** What the facts do not show, one sentence each. */
  readonly unknowns: readonly string[];
  /** Every rule that applied, also those that only set the lowest severity, in the order of the table of rules. */
  readonly fired: readonly RuleName[];
}
