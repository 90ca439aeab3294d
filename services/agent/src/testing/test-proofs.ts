import { randomUUID } from "node:crypto";
import type { Era, LedgerRow } from "@toolbus/contracts";
import { keys } from "@toolbus/contracts";
import { ownKeys, preparedHash, type Signer, signDocument, signSending } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { eraReader, receiptKeys, signAnswer } from "@toolbus/tool-kit";
import { writeProofs } from "../steps/write-proofs.ts";

/** The keys of approvals and of the toolset of these tests. The agent does not trust the key `worker.other`. */
export const proofKeys = await ownKeys(["approvals", "worker.test", "worker.other"]);
const TOOLSET_KEY = proofKeys.identityOf("worker.test").signer;

/** Returns the agent's proofs, with the keys of these tests as the trusted keys. */
export function proofsUnderTest(state: StateStore, monotonic: () => number) {
  const approvals = proofKeys.trusted.of("approvals");
  const known = (toolset: string) => proofKeys.trusted.of(`worker.${toolset}`);
  return writeProofs({
    state,
    receiptKeys: receiptKeys({ known, state, approvals, monotonic }),
    eras: eraReader(approvals),
    approvals,
    log: silentLog,
    monotonic,
    newId: randomUUID,
  });
}

/** Returns the row as a worker of the toolset writes it, with the signature that belongs to its state. */
export async function signedRow(row: LedgerRow, signer: Signer = TOOLSET_KEY): Promise<LedgerRow> {
  const { callId, toolName: tool, toolHash, argsHash, jti, fence, prepared, result } = row;
  const call = { callId, toolset: "test", tool, toolHash, argsHash };
  if (row.state === "done" && result) return { ...row, receipt: await signAnswer(call, { result, fence, at: row.doneAt ?? 0 }, signer) };
  if (row.state !== "sending") return row;
  const value = (prepared as { readonly value?: string } | undefined)?.value ?? null;
  return { ...row, proof: await signSending({ ...call, jti, fence, preparedHash: preparedHash(value), at: row.sendingAt ?? 0 }, signer) };
}

/** Returns the era as approvals stores it. */
export async function signedEra(era: Era, revision: number): Promise<Era> {
  const document = { key: keys.era(), revision, content: era };
  return signDocument("tb-era+jwt", document, proofKeys.identityOf("approvals").signer);
}
