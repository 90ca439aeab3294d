import type { findingKinds, Label, Severity } from "../label.ts";

export type FindingKind = (typeof findingKinds)[number];

/** The places that a finding of a verdict names. A list is empty if it names no place of that sort. */
export interface VerdictPlaces {
  /** Hashes, whole or abbreviated to at least seven characters. */
  readonly commits: readonly string[];
  readonly files: readonly string[];
  readonly dependencies: readonly string[];
  /** Ids of advisories of which the verdict knows no commit, each with all its aliases. */
  readonly advisories?: readonly string[];
}

export interface VerdictFinding extends VerdictPlaces {
  readonly kind: FindingKind;
}

/** What somebody says about a release, in the words of the labels. */
export interface Verdict {
  readonly project: string;
  readonly release: string;
  readonly severity: Severity;
  readonly findings: readonly VerdictFinding[];
}

/** A label with the name of its project, because two projects may have a release of the same name. */
export interface ProjectLabel {
  readonly project: string;
  readonly label: Label;
}
