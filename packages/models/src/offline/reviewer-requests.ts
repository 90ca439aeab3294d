import { SEVERITIES, type Severity } from "@toolbus/contracts";
import type { Failed } from "./attempts.ts";
import { cleanText } from "./clean-text.ts";

/** What reviewers of earlier versions of the report asked for. */
export interface ReviewerRequests {
  /** The one severity that the latest comment with a severity names. */
  readonly severity: Severity | null;
  /** Their words, each as one finding. */
  readonly findings: readonly string[];
}

/** Takes up the comments of all revisions of a run, oldest first. A comment is taken at its word and never interpreted further. */
export function reviewerRequests(revisions: readonly Failed[]): ReviewerRequests {
  const comments = revisions.flatMap(({ words }) => (words === null ? [] : [cleanText(words, COMMENT_CHARS)]));
  return {
    severity: comments.map(namedSeverity).findLast((severity) => severity !== null) ?? null,
    findings: comments.map((comment) => `Reviewer: ${comment}`),
  };
}

const COMMENT_CHARS = 500;

/**
 * The severity that a comment asks for, if it names exactly one. "From high to low", "not high" and "low instead of high" ask for the other one;
 * a comment that still names two leaves the severity to the rules.
 */
function namedSeverity(comment: string): Severity | null {
  const wanted = comment.toLowerCase().replace(/\b(from|not|than|instead of|rather than)\s+(low|medium|high)\b/g, " ");
  const named = SEVERITIES.filter((severity) => new RegExp(`\\b${severity}\\b`).test(wanted));
  return named.length === 1 ? (named[0] ?? null) : null;
}
