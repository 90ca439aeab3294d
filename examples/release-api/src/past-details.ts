import { paged } from "./paged.ts";
import type { PastOutcome, PastRelease, ReleaseSize } from "./past-releases.ts";
import type { ReleaseSummary } from "./release-summary.ts";
import type { RiskReport } from "./risk-report.ts";

/** A past release, with what this API knows of it if the API serves it too. */
interface PastDetail extends PastRelease {
  readonly release_id?: string;
  readonly tests?: { readonly passed: number; readonly failed: number; readonly skipped: number };
  readonly deployment_metrics?: ReleaseSummary["deployment_metrics"];
  readonly reports?: readonly Pick<RiskReport, "report_id" | "severity" | "filed_at">[];
}

/** The answer of `GET /past-releases`. */
export interface PastDetails {
  readonly release_id: string;
  /** The size of this release, and the usual one: the median of the listed releases. */
  readonly size: ReleaseSize;
  readonly usual_size: ReleaseSize | null;
  /** All earlier releases that were found. The newest 20 have details. */
  readonly total: number;
  readonly releases: readonly PastDetail[];
  readonly page: number;
  readonly pages: number;
  readonly missing: readonly string[];
}

interface Asked {
  readonly release: ReleaseSummary;
  readonly releaseId: string;
  readonly outcome: PastOutcome;
  /** Returns the release with this tag if the API serves it. */
  readonly served: (tag: string) => Promise<ReleaseSummary | undefined>;
  readonly reports: readonly RiskReport[];
  readonly page: number;
}

const MOST_REPORTS = 5;

/** Returns one page of the past releases, newest first, or the number of pages if this page does not exist. */
export async function pastDetails({ release, releaseId, outcome, served, reports, page: wanted }: Asked): Promise<PastDetails | number> {
  const found = outcome.ok ? outcome.releases : [];
  const details = await Promise.all(found.map(async (past) => ({ ...past, ...detailOf(await served(past.tag), reports) })));
  const { page, pages, items } = paged(details, wanted);
  if (!items) return pages;
  const sizes = found.flatMap(({ size }) => (size === null ? [] : [size]));
  return {
    release_id: releaseId,
    size: release.size,
    usual_size:
      sizes.length === 0 ? null : { commits: median(sizes, "commits"), files: median(sizes, "files"), lines: median(sizes, "lines") },
    total: outcome.ok ? outcome.total : 0,
    releases: items,
    page,
    pages,
    missing: outcome.ok ? (found.length === 0 ? ["The history has no earlier release with a tag of this kind."] : []) : [outcome.message],
  };
}

function detailOf(release: ReleaseSummary | undefined, reports: readonly RiskReport[]): Partial<PastDetail> {
  if (!release) return {};
  const { release_id, tests, deployment_metrics } = release;
  return {
    release_id,
    ...(tests ? { tests: { passed: tests.passed, failed: tests.failed, skipped: tests.skipped } } : {}),
    ...(deployment_metrics ? { deployment_metrics } : {}),
    reports: reports
      .filter((report) => report.release_id === release_id)
      .slice(-MOST_REPORTS)
      .map(({ report_id, severity, filed_at }) => ({ report_id, severity, filed_at })),
  };
}

function median(sizes: readonly ReleaseSize[], field: keyof ReleaseSize): number {
  const sorted = sizes.map((size) => size[field]).toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
