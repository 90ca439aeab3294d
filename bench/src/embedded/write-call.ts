import path from "node:path";
import { approvalIdOf, GRANT_ISSUER, type GrantClaims, grantAudience } from "@toolbus/contracts";
import { argumentsHash, canonicalJson, signGrant } from "@toolbus/grants";
import type { Executor } from "@toolbus/tool-kit";
import { type BenchWorker, benchWorker } from "./bench-worker.ts";
import type { DraftCall } from "./call-client.ts";
import type { Contest } from "../contest.ts";
import { ARGUMENTS, bareCall, executorOf, TOOLSET } from "./noop-tools.ts";

const GRANT_SECONDS = 900;

/**
 * Does one write with its own grant. The client signs the grant and sends the invoke. The worker checks the grant, and records the write as begun,
 * sending and done in the ledger, which is on SQLite with full sync. The worker then signs the receipt, and the client matches the result to the
 * call. The bare side calls the same function after the same schema check.
 */
export async function writeCall(directory: string): Promise<Contest> {
  const worker = await benchWorker(`sqlite:${path.join(directory, "state")}`);
  const change = executorOf(worker.tools, "change");
  const text = canonicalJson(ARGUMENTS);
  return {
    subject: () => grantedCall(worker),
    bare: async () => void bareCall(change, text),
    stop: () => worker.stop(),
  };
}

/** Makes one write with its own grant. */
export async function grantedCall({ client, tools, approvals }: BenchWorker): Promise<void> {
  const change = executorOf(tools, "change");
  await client.call(change, ARGUMENTS, (draft) => signGrant(claimsOf(change, draft), approvals));
}

/** Returns the claims of the grant that approvals would sign for a write of tier medium, which policy grants without people. */
function claimsOf({ definition, hash }: Executor, { callId, runId, text, now }: DraftCall): GrantClaims {
  const at = Math.floor(now / 1000);
  return {
    iss: GRANT_ISSUER,
    aud: grantAudience(TOOLSET),
    jti: approvalIdOf(callId),
    iat: at,
    nbf: at,
    exp: at + GRANT_SECONDS,
    era: 1,
    tenant: "local",
    runId,
    callId,
    tool: definition.name,
    toolVersion: definition.version,
    toolHash: hash,
    argsHash: argumentsHash(text),
    tier: "medium",
    requester: "user:bench",
    approvers: [],
    need: 0,
  };
}
