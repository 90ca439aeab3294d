import type { Json, LedgerRow } from "@toolbus/contracts";
import { answerHash, type KeySet, preparedHash, resultHash, verifyReceipt, verifySending } from "@toolbus/grants";
import { sendable } from "../calls/result-message.ts";

/** The verdict on whether a worker of the toolset wrote a ledger row. Nobody may run, repeat or join anything because of an `unproven` row. */
export type RowProof =
  | { readonly kind: "genuine" }
  | { readonly kind: "unproven"; readonly why: "unsigned" | "unknown_key" | "forged"; readonly detail: string };

/**
 * Judges a row by the signature that its state requires. A done row needs a receipt, which covers its result. A sending row needs a proof, which
 * covers the sent value and the time. A begun row needs no signature, because it says that nothing was sent, and contains nothing to act on.
 */
export async function proveRow(row: LedgerRow, toolset: string, keys: KeySet): Promise<RowProof> {
  switch (row.state) {
    case "begun":
      return GENUINE;
    case "sending": {
      if (row.proof === undefined) return unproven("unsigned", "it has no proof of what was sent");
      const verdict = await verifySending({ proof: row.proof, keys, toolset, row });
      if (verdict.kind !== "genuine") return unproven(verdict.kind, verdict.detail);
      const hash = storedHash(row.prepared);
      return hash === verdict.claims.preparedHash ? GENUINE : unproven("forged", "its prepared value is not the one that was sent");
    }
    case "done": {
      const { callId, toolName: tool, toolHash, argsHash, fence, result, receipt, doneAt: at = -1 } = row;
      if (!result || receipt === undefined) return unproven("unsigned", "it has no receipt");
      const said = sendable(result);
      const hashes = { resultHash: resultHash(said), answerHash: answerHash(said) };
      const verdict = await verifyReceipt({ receipt, keys, expected: { callId, toolset, tool, toolHash, argsHash, fence, at, ...hashes } });
      return verdict.kind === "genuine" ? GENUINE : unproven(verdict.kind, verdict.detail);
    }
  }
}

const GENUINE: RowProof = { kind: "genuine" };

function unproven(why: Extract<RowProof, { kind: "unproven" }>["why"], detail: string): RowProof {
  return { kind: "unproven", why, detail };
}

/** Returns the hash of the value in a row, or of the blob that the row names. A blob is stored under the digest of its bytes. */
function storedHash(stored: Json | undefined): string | null {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return null;
  if ("blob" in stored)
    return typeof stored.blob === "string"
      ? `sha256-${Buffer.from(stored.blob.slice("sha256-".length), "hex").toString("base64url")}`
      : null;
  return "value" in stored && stored.value !== undefined ? preparedHash(stored.value) : null;
}
