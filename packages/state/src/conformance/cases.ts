import { blobChecks } from "./blobs.ts";
import type { Checks, ConformanceCase, StateStoreFeatures } from "./case.ts";
import { changedChecks } from "./changed.ts";
import { claimChecks } from "./claims.ts";
import { commitChecks } from "./commit.ts";
import { durabilityChecks } from "./durability.ts";
import { expiryChecks } from "./expiry.ts";
import { feedChecks } from "./feed.ts";
import { guardChecks } from "./guards.ts";
import { indexPagingChecks } from "./index-paging.ts";
import { lateChecks } from "./late.ts";
import { limitChecks } from "./limits.ts";
import { liveChecks } from "./live.ts";
import { logChecks } from "./logs.ts";
import { opRepeatChecks } from "./op-repeats.ts";
import { racingWriterChecks } from "./racing-writers.ts";
import { rollbackChecks } from "./rollback.ts";

/** The whole contract of the state store, sentence by sentence. */
export const stateStoreCases: readonly ConformanceCase[] = [
  ...casesOf("commit", commitChecks),
  ...casesOf("guards", guardChecks),
  ...casesOf("op repeats", opRepeatChecks),
  ...casesOf("late", lateChecks),
  ...casesOf("claims", claimChecks),
  ...casesOf("logs", logChecks),
  ...casesOf("feed", feedChecks),
  ...casesOf("live", liveChecks),
  ...casesOf("index paging", indexPagingChecks),
  ...casesOf("blobs", blobChecks),
  ...casesOf("racing writers", racingWriterChecks),
  ...casesOf("expiry", expiryChecks),
  ...casesOf("limits", limitChecks),
  ...casesOf("rollback", rollbackChecks),
  ...casesOf("changed documents", changedChecks),
  ...casesOf("durability", durabilityChecks, "durable"),
];

function casesOf(area: string, checks: Checks, needs?: keyof StateStoreFeatures): readonly ConformanceCase[] {
  return Object.entries(checks).map(([name, check]) => ({ area, name, check, ...(needs ? { needs } : {}) }));
}
