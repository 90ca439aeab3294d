import type { Message, ToolResult } from "@toolbus/contracts";
import type { KeySet, Signer } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { CallsUnderWay } from "./calls-under-way.ts";
import type { Ledger } from "./ledger-store.ts";
import type { SecurityRecords } from "./security-record.ts";
import type { EraReader } from "./signed-era.ts";
import type { SuspectCalls } from "./suspect-calls.ts";
import type { ToolFlags } from "./tool-flags.ts";
import type { Toolset } from "./toolset.ts";
import type { UnknownTools } from "./unknown-tools.ts";
import type { WorkerTimings } from "./worker-timings.ts";

/** What the pipeline depends on; made once per worker. */
export interface InvokeContext {
  readonly toolset: Toolset;
  readonly state: StateStore;
  readonly losses: Pick<StoreLosses, "seenAt"> | undefined;
  readonly ledger: Ledger;
  /** Public keys of the approvals service. */
  readonly keys: KeySet;
  readonly eras: EraReader;
  /** The toolset's own key; absent for a toolset without writes. */
  readonly signer: Signer | undefined;
  readonly security: SecurityRecords;
  readonly unknownTools: UnknownTools;
  /** Resolves when the answer is safe. */
  readonly publish: (message: Message) => Promise<void>;
  /** Best effort, to all listeners. */
  readonly announce: (message: Message) => Promise<void>;
  readonly underWay: CallsUnderWay;
  readonly suspects: SuspectCalls;
  readonly flags: ToolFlags;
  readonly timings: WorkerTimings;
  /** The longest content of a result, in bytes of UTF-8. */
  readonly maxContentBytes: number;
  readonly log: Log;
  /** The store's time in milliseconds, for message times and the not-after of reads. What a write may do is judged by the store itself. */
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** Whether a security event contains all that a log line could: `counted` is one of very many, of which only the number is kept. */
export type SecurityDetail = "whole" | "counted";

/** How a call leaves the pipeline. */
export type Outcome =
  /** `letter` says why the message is also kept as a dead letter. */
  | { readonly kind: "answer"; readonly result: ToolResult; readonly receipt?: string; readonly letter?: string }
  | { readonly kind: "grant_stale"; readonly reason: string }
  /** No answer: forged, late, or not ours to answer. */
  | { readonly kind: "drop"; readonly reason: string; readonly reported?: SecurityDetail }
  /** The delivery comes again `after` milliseconds. */
  | { readonly kind: "retry"; readonly after: number; readonly reason: string };
