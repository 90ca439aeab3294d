import { type FactsOutcome, readCodeChanges } from "./code-changes.ts";
import type { FactsOptions, ReleaseFacts } from "@toolbus/release-facts";
import type { GitSummary } from "./git-summary.ts";
import { type PastOutcome, readPastReleases } from "./past-releases.ts";
import { type SingleRead, singleRead } from "./single-read.ts";
import type { TestEvidence } from "./test-details.ts";
import type { Traces } from "./traces.ts";

/** What is known about a release beside its summary. Files were read before. Git is read when somebody asks. */
export interface ReleaseEvidence {
  readonly head: string | undefined;
  readonly tests: TestEvidence;
  readonly traces: Traces | undefined;
  readonly changes: SingleRead<FactsOutcome>;
  readonly past: SingleRead<PastOutcome>;
  /** Aborts what is still being read. */
  stop(): void;
}

export interface EvidenceFiles {
  readonly tests: TestEvidence;
  readonly traces?: Traces | undefined;
}

export interface EvidenceSource {
  readonly repo: string;
  readonly project?: string | undefined;
  readonly package?: string | undefined;
  readonly advisories?: FactsOptions["advisories"];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Returns the evidence of a release of a repository. */
export function gitEvidence(summary: GitSummary, source: EvidenceSource, files: EvidenceFiles): ReleaseEvidence {
  return evidence(
    summary,
    files,
    singleRead(
      (signal) => readCodeChanges({ ...source, ends: summary, signal: within(signal) }),
      ({ ok }) => ok,
    ),
    singleRead(
      (signal) => readPastReleases({ ...source, release: summary, signal: within(signal) }),
      ({ ok }) => ok,
    ),
  );
}

/** Returns the evidence of a recorded release, whose repository is not here. */
export function recordedEvidence(summary: GitSummary, facts: ReleaseFacts): ReleaseEvidence {
  return evidence(
    summary,
    { tests: { pipelines: [] } },
    singleRead(
      async () => ({ ok: true, facts }),
      () => true,
    ),
    singleRead(
      async () => ({ ok: false, message: "The release is a recording, which lacks the releases before it." }),
      () => true,
    ),
  );
}

function evidence(
  summary: GitSummary,
  { tests, traces }: EvidenceFiles,
  changes: SingleRead<FactsOutcome>,
  past: SingleRead<PastOutcome>,
): ReleaseEvidence {
  return {
    head: summary.to.commit,
    tests,
    traces,
    changes,
    past,
    stop() {
      changes.stop();
      past.stop();
    },
  };
}

const DEADLINE_MS = 120_000;

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
}
