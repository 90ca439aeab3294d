import { setTimeout as wait } from "node:timers/promises";
import { type ApprovalEvidence, approvalIdOf, type CallEvidence } from "@toolbus/contracts";
import { readApprovalEvidence, readCallEvidence } from "../http/answers.ts";
import type { Client } from "../http/client.ts";

/**
 * Reads the part of approvals. Waits a moment for the newest record of the approval, because approvals adds a record to the chain shortly after its
 * event.
 */
export async function approvalEvidence(service: Client, callId: string, signal: AbortSignal): Promise<ApprovalEvidence> {
  for (let tries = 1; ; tries++) {
    const evidence = readApprovalEvidence(await service.get(`/v1/approvals/${encodeURIComponent(approvalIdOf(callId))}/evidence`));
    if (evidence.chained || tries === TRIES) return evidence;
    await wait(WAIT_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Reads the gateway's part: the call with its result and the worker's receipt. */
export async function callEvidence(service: Client, callId: string): Promise<CallEvidence> {
  return readCallEvidence(await service.get(`/v1/calls/${encodeURIComponent(callId)}/evidence`));
}

const TRIES = 20;
const WAIT_MS = 500;
