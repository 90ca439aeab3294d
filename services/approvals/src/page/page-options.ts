import type { ApiKeys, FailedLogins, RateLimit } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Decisions } from "../decisions/decisions.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";
import type { OidcClient } from "../oidc/oidc-client.ts";
import type { OidcProvider } from "../oidc/oidc-file.ts";
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
  /** The provider at which people sign in, or null if they sign in only with keys. */
  readonly oidc: PageOidc | null;
}

/** The provider at which people sign in. */
export interface PageOidc {
  readonly provider: OidcProvider;
  readonly client: OidcClient;
  /** Returns a text that only approvals can compute from these names. */
  readonly secretText: (names: readonly [purpose: string, ...names: string[]]) => string;
}
