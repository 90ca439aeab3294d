import { SEVERITIES, type Severity } from "@toolbus/contracts";
import type { Failed } from "./attempts.ts";
import { cleanText } from "./clean-text.ts";

/** The requests of reviewers of earlier versions of the report. */
export interface ReviewerRequests {
  /** The severity from the latest comment that names exactly one. */
  readonly severity: Severity | null;
  /** The reviewers' words, with one finding per comment. */
  readonly findings: readonly string[];
}

/** Reads the comments of all revisions of a run, oldest first. The comments become findings literally, without interpretation. */
export function reviewerRequests(revisions: readonly Failed[]): ReviewerRequests {
  const comments = revisions.flatMap(({ words }) => (words === null ? [] : [cleanText(words, COMMENT_CHARS)]));
  return {
    severity: comments.map(namedSeverity).findLast((severity) => severity !== null) ?? null,
    findings: comments.map((comment) => `Reviewer: ${comment}`),
  };
}

const COMMENT_CHARS = 500;

/**
 * Returns the severity that a comment requests, if it names exactly one. The function ignores the name after "from", "not", "than", "instead of" and
 * "rather than". If two names remain, the function returns null, and the rules decide the severity.
 */
function namedSeverity(comment: string): Severity | null {
  const wanted = comment.toLowerCase().replace(/\b(from|not|than|instead of|rather than)\s+(low|medium|high)\b/g, " ");
  const named = SEVERITIES.filter((severity) => new RegExp(`\\b${severity}\\b`).test(wanted));
  return named.length === 1 ? (named[0] ?? null) : null;
}
