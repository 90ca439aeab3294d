import { createHash } from "node:crypto";
import { openReportJournal } from "./report-journal.ts";
import type { RiskReport, RiskReportRequest } from "./risk-report.ts";

/** The filed reports. There is at most one report for each key, even with repeats, races and restarts. */
export interface RiskReports {
  /**
   * Files a report once. A repeat of the key with the same content returns the first report. A repeat of the key with other content is a conflict.
   * Rejects if the report may be missing on disk. The caller may try the same key again after a restart.
   */
  file(key: string, request: RiskReportRequest): Promise<Filing>;
  find(reportId: string): RiskReport | undefined;
  /** Returns every report on the disk, oldest first. */
  all(): readonly RiskReport[];
  close(): Promise<void>;
}

export type Filing = { readonly kind: "filed" | "repeated"; readonly report: RiskReport } | { readonly kind: "conflict" };

export interface RiskReportsOptions {
  readonly directory: string;
  /** Returns the time, in milliseconds since 1970. */
  readonly clock: () => number;
  /** Returns a new id, whose characters need no escape in a URL. */
  readonly newId: () => string;
  readonly beforeEffect?: ((key: string) => Promise<void>) | undefined;
  readonly afterEffect?: ((key: string) => Promise<void>) | undefined;
  readonly onEffect?: ((report: RiskReport) => void) | undefined;
}

/** Opens the reports in a folder. */
export async function openRiskReports({ directory, clock, newId, ...hooks }: RiskReportsOptions): Promise<RiskReports> {
  const journal = await openReportJournal(directory);
  const stored = new Map(journal.entries.map(({ report }) => [report.report_id, report]));
  const byKey = new Map(journal.entries.map(({ key, fingerprint, report }) => [key, { fingerprint, report: Promise.resolve(report) }]));

  const store = async (key: string, fingerprint: string, request: RiskReportRequest): Promise<RiskReport> => {
    await hooks.beforeEffect?.(key);
    const report = { report_id: newId(), ...request, filed_at: new Date(clock()).toISOString() };
    await journal.append({ key, fingerprint, report });
    stored.set(report.report_id, report);
    return report;
  };

  return {
    async file(key, request) {
      const fingerprint = fingerprintOf(request);
      const known = byKey.get(key);
      if (known) return known.fingerprint === fingerprint ? { kind: "repeated", report: await known.report } : { kind: "conflict" };
      // The key is recorded before anything is awaited. So if two requests race, the second request finds the key of the first.
      const storing = store(key, fingerprint, request);
      byKey.set(key, { fingerprint, report: storing });
      const report = await storing.catch((error: unknown) => {
        byKey.delete(key);
        throw error;
      });
      hooks.onEffect?.(report);
      await hooks.afterEffect?.(key);
      return { kind: "filed", report };
    },
    find: (reportId) => stored.get(reportId),
    all: () => [...stored.values()],
    close: () => journal.close(),
  };
}

/** Returns a hash of the content. Whitespace and the order of the fields in the body do not change the hash. */
function fingerprintOf({ release_id, severity, findings, note }: RiskReportRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([release_id, severity, findings, note ?? null]))
    .digest("hex");
}
