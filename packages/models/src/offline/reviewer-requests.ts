import { SEVERITIES, type Severity } from "@toolbus/contracts";
import type { Failed } from "./attempts.ts";
import { cleanText } from "./clean-text.ts";

/** What reviewers of earlier versions of the report requested. */
export interface ReviewerRequests {
  /** The severity from the latest comment that names exactly one. */
  readonly severity: Severity | null;
  /** Their words, each as one finding. */
  readonly findings: readonly string[];
}

/** Reads the comments of all revisions of a run, oldest first. A comment is taken literally and not interpreted. */
export function reviewerRequests(revisions: readonly Failed[]): ReviewerRequests {
  const comments = revisions.flatMap(({ words }) => (words === null ? [] : [cleanText(words, COMMENT_CHARS)]));
  return {
    severity: comments.map(namedSeverity).findLast((severity) => severity !== null) ?? null,
    findings: comments.map((comment) => `Reviewer: ${comment}`),
  };
}

const COMMENT_CHARS = 500;

/**
 * The severity that a comment requests, if it names exactly one. "From high to low", "not high" and "low instead of high" request the other one.
 * If two names remain, the rules decide.
 */
function namedSeverity(comment: string): Severity | null {
  const wanted = comment.toLowerCase().replace(/\b(from|not|than|instead of|rather than)\s+(low|medium|high)\b/g, " ");
  const named = SEVERITIES.filter((severity) => new RegExp(`\\b${severity}\\b`).test(wanted));
  return named.length === 1 ? (named[0] ?? null) : null;
}
