import { loggedId } from "@toolbus/bus";
import {
  type AgentSecurityKind,
  type Call,
  type Era,
  type Json,
  keyOf,
  keys,
  type LedgerRow,
  type Message,
  shardOf,
} from "@toolbus/contracts";
import { type KeySet, trustedKeys, verifySender } from "@toolbus/grants";
import { eventSample, type LeftOut, recordsInTurn, type StateStore } from "@toolbus/state";
import { type Log, recordSecurityEvent } from "@toolbus/telemetry";
import { type EraReader, proveRow, type ReadAnswer, type ReceiptKeys, verifyAnswer } from "@toolbus/tool-kit";
import { AGENT_SERVICE } from "../transitions/rules.ts";

/**
 * Decides what the agent believes about writes. It believes answers and ledger rows that workers of the call's toolset signed, and decisions and an era
 * that approvals signed. The agent does not act on anything else, and these methods record what was not genuine. Each method throws `StoreUnavailable`.
 */
export interface WriteProofs {
  /**
   * Returns the hash of the definition that the worker has if this answer to a write is genuine, and null otherwise. `stale` means that the answer
   * reports a stale grant.
   */
  answered(
    call: Call,
    answer: Pick<ReadAnswer, "result" | "receipt"> & { readonly stale: boolean },
    message: Message,
  ): Promise<string | null>;
  /** Returns true if approvals signed this decision and its grant. */
  decided(call: Call, message: Message): Promise<boolean>;
  /** Returns true if a worker wrote this row of its ledger. */
  written(call: Call, row: LedgerRow): Promise<boolean>;
  /** Returns the era, or `unproven` if approvals did not sign the era or this process has seen a later one. */
  era(call: Call, value: Json | undefined): Promise<Era | null | "unproven">;
  /** Stores the number of security events that were only counted so far. */
  stop(): Promise<void>;
}

export interface WriteProofsOptions {
  readonly state: StateStore;
  readonly receiptKeys: ReceiptKeys;
  readonly eras: EraReader;
  /** The keys of approvals. */
  readonly approvals: KeySet;
  readonly log: Log;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** The number of security events per reason and minute that are stored in full. */
  readonly perMinute?: number | undefined;
}

export function writeProofs({ state, receiptKeys, eras, approvals, log, monotonic, newId, perMinute }: WriteProofsOptions): WriteProofs {
  const append = recordsInTurn(state);
  const sample = eventSample({ monotonic, tell, ...(perMinute === undefined ? {} : { perMinute }) });
  // The events that were already recorded. A flood of forgeries of one call must make only one record.
  const reported = new Set<string>();
  // No other service may decide, so a message in the name of another sender has no known key.
  const deciders = trustedKeys({ approvals });
  return {
    async answered(call, answer, message) {
      const { callId, toolset, toolName: tool, argsHash } = call;
      const verdict = await verifyAnswer({ callId, toolset, tool, argsHash }, answer, receiptKeys.of(call));
      if (verdict.kind === "genuine") return verdict.toolHash;
      const { id: messageId, source } = message;
      const fields = { callId, messageId: loggedId(messageId), why: verdict.kind, detail: verdict.detail };
      await record(call, `answer_${verdict.kind}`, { detail: verdict.detail, messageId, source }, () =>
        log.warn(fields, "an answer to a write that no worker of its toolset signed is dropped; its timer asks the ledger"),
      );
      return null;
    },
    async decided(call, message) {
      const verdict = await verifySender(message, deciders);
      if (verdict.kind === "genuine") return true;
      const { callId } = call;
      const { id: messageId, source } = message;
      const fields = { callId, messageId: loggedId(messageId), why: verdict.kind, detail: verdict.detail };
      await record(call, `decision_${verdict.kind}`, { detail: verdict.detail, messageId, source }, () =>
        log.warn(fields, "a decision that approvals did not sign is dropped; the call still waits"),
      );
      return false;
    },
    async written(call, row) {
      const key = keys.ledger(call.toolset, call.callId);
      const other = (["callId", "toolName", "argsHash"] as const).find((field) => row[field] !== call[field]);
      const proof = await proveRow(row, call.toolset, receiptKeys.of({ ...call, toolHash: row.toolHash }));
      const why =
        proof.kind === "unproven" ? proof : other === undefined ? null : { why: "forged" as const, detail: `it is of another ${other}` };
      if (why === null) return true;
      log.warn(
        { callId: call.callId, key, state: row.state, ...why },
        "a ledger row is not what a worker signed; the write's outcome is open",
      );
      await record(call, `ledger_${why.why}`, { detail: why.detail, key });
      return false;
    },
    async era(call, value) {
      const read = await eras.read(value);
      if (read.kind === "genuine") return read.era;
      log.warn(
        { callId: call.callId, why: read.why, detail: read.detail },
        "the era is not what approvals signed; no write counts as not done",
      );
      // An older era is not recorded, because the store's replies may arrive out of order.
      if (read.why !== "older") await record(call, `era_${read.why}`, { detail: read.detail });
      return "unproven";
    },
    stop: sample.stop,
  };

  async function tell({ kind: reason, count: leftOut, overMs, shard }: LeftOut): Promise<void> {
    log.warn({ reason, leftOut, overMs }, "more forgeries: only the number of these security events is kept");
    const stored = await append(shard, {
      op: `security:${reason}:left-out:${newId()}`,
      log: keys.security(shard, AGENT_SERVICE),
      head: keyOf("security", shard, `${AGENT_SERVICE}.head`),
      entry: (at) => ({ at, service: AGENT_SERVICE, reason, leftOut, overMs }),
      keepMs: KEEP_MS,
    });
    if (!stored) throw new Error("Others wrote the log at the same time.");
  }

  /** Records a security event, once per reason and call. `say` is called for events that are stored in full. */
  async function record(call: Call, reason: AgentSecurityKind, about: Readonly<Record<string, string>>, say?: () => void): Promise<void> {
    const { callId, toolName: tool, toolset } = call;
    const name = `${reason}:${callId}`;
    if (reported.has(name)) return;
    const shard = shardOf(callId);
    const whole = sample.take(reason, { shard });
    recordSecurityEvent({ service: AGENT_SERVICE, reason, whole });
    if (!whole) return;
    say?.();
    const details = Object.fromEntries(Object.entries(about).map(([field, text]) => [field, printable(text)]));
    const stored = await append(shard, {
      op: `security:${name}`,
      log: keys.security(shard, AGENT_SERVICE),
      head: keyOf("security", shard, `${AGENT_SERVICE}.head`),
      entry: (at) => ({ at, service: AGENT_SERVICE, reason, callId, tool, toolset, ...details }),
      keepMs: KEEP_MS,
    });
    if (!stored) return sample.missed(reason, { shard });
    reported.add(name);
    const [oldest] = reported;
    if (reported.size > MOST_REPORTED && oldest !== undefined) reported.delete(oldest);
  }
}

const KEEP_MS = 30 * 86_400_000;
const MOST_REPORTED = 10_000;

/** Makes external text safe for a record that people read. */
function printable(text: string): string {
  return text.slice(0, 300).replaceAll(/[^\x20-\x7e]/g, "?");
}
