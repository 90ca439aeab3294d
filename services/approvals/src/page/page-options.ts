import type { ApiKeys, FailedLogins, RateLimit } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Decisions } from "../decisions/decisions.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";
import type { PageSettings } from "./page-address.ts";

/** Everything that the routes of the approval page need. */
export interface PageOptions {
  readonly state: StateStore;
  readonly sealed: SealedStore;
  readonly documents: ApprovalDocuments;
  readonly decisions: Decisions;
  readonly keys: ApiKeys;
  readonly settings: PageSettings;
  /** Returns the time in milliseconds since 1970, for the ages that the page shows. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** How many decisions each approver may make per minute. Null means no limit. */
  readonly rate: RateLimit | null;
  /** How often each person may sign in per minute. */
  readonly signIns: RateLimit;
  /** Counts wrong keys per address. */
  readonly failed: FailedLogins;
  readonly log: Log;
}
