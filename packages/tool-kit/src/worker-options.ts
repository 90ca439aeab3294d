import { type Message, keys as storeKeys, message, messageIds, messageTypes, topics } from "@toolbus/contracts";
import { type KeySet, publicKeyOf, publicKeys, type Signer, unitedKeys } from "@toolbus/grants";
import type { StateStore, StoreLosses } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { callsSent } from "./calls/calls-sent.ts";
import { callsUnderWay } from "./calls/calls-under-way.ts";
import { crashMarks } from "./calls/crash-mark-store.ts";
import type { InvokeContext } from "./calls/invoke-context.ts";
import { ledgerStore } from "./writes/ledger-store.ts";
import { receiptKeys } from "./registry/receipt-keys.ts";
import { securityRecords } from "./calls/security-record.ts";
import { eraReader } from "./writes/signed-era.ts";
import { suspectCalls } from "./calls/suspect-calls.ts";
import { openProtection, type Protection } from "./protection/protection.ts";
import { fixedToolFlags, type ToolFlags } from "./registry/tool-flags.ts";
import { MAX_CONTENT_BYTES } from "./tool/tool-output.ts";
import type { Toolset } from "./tool/toolset.ts";
import { unknownTools } from "./calls/unknown-tools.ts";
import { type WorkerTimings, workerTimings } from "./worker-timings.ts";

/** The options of every worker, whether it has a queue or is mounted in a process. */
export interface WorkerOptions {
  readonly toolset: Toolset;
  readonly state: StateStore;
  /** The losses of the store that this process noticed. Without them, only the era document says which writes wait. */
  readonly losses?: Pick<StoreLosses, "seenAt"> | undefined;
  /** The public keys of the approvals service. They never come from the bus or the state store. */
  readonly keys: KeySet;
  /**
   * The toolset's own key, which signs the values and results of its writes. A toolset with a write does not start without it. All replicas have the
   * same key.
   */
  readonly signer?: Signer | undefined;
  /**
   * The public halves of that key and of the earlier ones, if the process has them. The process's own key, and the keys that are pinned with a tool,
   * are always accepted.
   */
  readonly receiptKeys?: KeySet | undefined;
  readonly log: Log;
  /** Returns the store's time from a `StoreClock`, in milliseconds, for the times of messages and the not-after of reads. */
  readonly clock: () => number;
  readonly monotonic: () => number;
  /** Returns cryptographically random bytes. */
  readonly random: (bytes: number) => Uint8Array;
  readonly timings?: WorkerTimings;
  /** The flags, which switch tools off here. Without them, every tool is on. */
  readonly flags?: ToolFlags;
  /** The limits and breakers. The workers of one process share it. Without it, the worker has its own, without limits of an operator. */
  readonly protection?: Protection;
  /**
   * The maximum length of a result's content, in bytes of UTF-8. Longer content is truncated with a notice. The default is 1 MiB, and the limit is 16
   * MiB.
   */
  readonly maxContentBytes?: number;
  /**
   * The number of security events of a reason that are recorded whole in a minute. For later events, only their number is recorded. The default is
   * 30.
   */
  readonly securityEventsPerMinute?: number;
  /** The number of unusable messages that become dead letters in a minute. For later messages, only their number is reported. The default is 30. */
  readonly deadLettersPerMinute?: number;
  /** The time between two heartbeats, in milliseconds. The default is 30 s. */
  readonly seenEveryMs?: number;
}

/** Creates the dependencies of the pipeline. Throws a TypeError with one sentence for a toolset with writes and no key. */
export function invokeContext(options: WorkerOptions, { publish, announce }: Pick<InvokeContext, "publish" | "announce">): InvokeContext {
  const {
    toolset,
    state,
    losses,
    keys,
    signer,
    log,
    clock,
    monotonic,
    random,
    timings = workerTimings,
    flags = fixedToolFlags(),
    protection = openProtection({ monotonic, log }),
    maxContentBytes = MAX_CONTENT_BYTES,
    securityEventsPerMinute: perMinute,
  } = options;
  refuseUnsigned(options);
  const known = unitedKeys([...(options.receiptKeys ? [options.receiptKeys] : []), publicKeys(signer ? [publicKeyOf(signer)] : [])]);
  const ledger = ledgerStore({
    toolset: toolset.name,
    state,
    signer,
    receiptKeys: receiptKeys({ known: () => known, state, approvals: keys, monotonic }),
    sent: callsSent(),
    timings,
    monotonic,
    random,
    log,
  });
  return {
    toolset,
    state,
    losses,
    ledger,
    keys,
    eras: eraReader(keys),
    signer,
    security: securityRecords({ toolset: toolset.name, state, log, monotonic, random, perMinute }),
    unknownTools: unknownTools({ log, monotonic }),
    publish,
    announce,
    underWay: callsUnderWay(),
    suspects: suspectCalls({
      marks: crashMarks({ toolset: toolset.name, state, timings, log }),
      timings,
      ownersDeadBefore: state.ownersDeadBefore,
      random,
    }),
    flags,
    protection,
    timings,
    maxContentBytes,
    log,
    clock,
    monotonic,
    random,
  };
}

function refuseUnsigned({ toolset, signer }: WorkerOptions): void {
  const write = toolset.list().find(({ tool }) => tool.kind === "write");
  if (write && !signer)
    throw new TypeError(
      `The toolset "${toolset.name}" has the write "${write.definition.name}" and no receipt key: what it does has to be signed. Pass "signer"; "toolbus keys" makes keys.`,
    );
}

/**
 * Handles a hint that nobody waits for a call any more. A read is aborted. A write is aborted only if the agent's stop document exists, because
 * anyone on the bus can send a hint. A write that has been sent is never interrupted.
 */
export async function cancelCall(callId: string, { underWay, state }: InvokeContext): Promise<void> {
  const call = underWay.find(callId);
  if (!call) return;
  if (call.write) {
    const { documents } = await state.read([storeKeys.stop(callId)]);
    if (!documents[0]) return;
  }
  call.cancel();
}

/** Returns the message that informs listeners that the registrations of a toolset may have changed. */
export function announcement(toolset: Toolset, now: number): Message {
  return message({
    id: messageIds.other("announce", toolset.name, now),
    topic: topics.toolAnnounce,
    type: messageTypes.toolAnnounce,
    source: `worker.${toolset.name}`,
    now,
    body: { toolset: toolset.name, tools: [...new Set(toolset.list().map(({ definition }) => definition.name))] },
  });
}

/** Returns the longest duration of a delivery. Prepare, run and reconcile each need at most the longest time-out, and the store needs time, too. */
export function deliveryDeadlineMs(toolset: Toolset): number {
  return 3 * Math.max(1000, toolset.longestTimeoutMs, ...toolset.list().map(({ definition }) => definition.timeoutMs)) + 30_000;
}
