import type { Message, ToolResult } from "@toolbus/contracts";
import type { KeySet, Signer } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { CallsUnderWay } from "./calls-under-way.ts";
import type { Ledger } from "../writes/ledger-store.ts";
import type { SecurityRecords } from "./security-record.ts";
import type { EraReader } from "../writes/signed-era.ts";
import type { SuspectCalls } from "./suspect-calls.ts";
import type { Protection } from "../protection/protection.ts";
import type { ToolFlags } from "../registry/tool-flags.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { UnknownTools } from "./unknown-tools.ts";
import type { WorkerTimings } from "../worker-timings.ts";

/** The dependencies of the pipeline. They are created once per worker. */
export interface InvokeContext {
  readonly toolset: Toolset;
  readonly state: StateStore;
  readonly losses: Pick<StoreLosses, "seenAt"> | undefined;
  readonly ledger: Ledger;
  /** The public keys of the approvals service. */
  readonly keys: KeySet;
  readonly eras: EraReader;
  /** The toolset's own key. It is absent for a toolset without writes. */
  readonly signer: Signer | undefined;
  readonly security: SecurityRecords;
  readonly unknownTools: UnknownTools;
  /** Publishes a message. Resolves when the bus has confirmed it. */
  readonly publish: (message: Message) => Promise<void>;
  /** Sends a message to all listeners. It may be lost. */
  readonly announce: (message: Message) => Promise<void>;
  readonly underWay: CallsUnderWay;
  readonly suspects: SuspectCalls;
  readonly flags: ToolFlags;
  readonly protection: Protection;
  readonly timings: WorkerTimings;
  /** The maximum length of a result's content, in bytes of UTF-8. */
  readonly maxContentBytes: number;
  readonly log: Log;
  /**
   * Returns the store's time in milliseconds, for the times of messages and the not-after of reads. The store itself checks the not-after of writes.
   */
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/**
 * The detail in which a security event was recorded. A `whole` event has everything that a log line could have. A `counted` event is one of very
 * many, of which only the number is recorded.
 */
export type SecurityDetail = "whole" | "counted";

/** The outcome of a call in the pipeline. */
export type Outcome =
  /** `letter` says why the message is also kept as a dead letter. `again` says that an earlier attempt made the result, which the ledger has kept. */
  | { readonly kind: "answer"; readonly result: ToolResult; readonly receipt?: string; readonly letter?: string; readonly again?: true }
  | { readonly kind: "grant_stale"; readonly reason: string }
  /** The call receives no answer, because it is forged or late, or because this worker must not answer it. */
  | { readonly kind: "drop"; readonly reason: string; readonly reported?: SecurityDetail }
  /** The message is delivered again after `after` milliseconds. */
  | { readonly kind: "retry"; readonly after: number; readonly reason: string };
