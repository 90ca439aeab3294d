import {
  APPROVERS_NEEDED,
  approvalIdOf,
  assessRisk,
  callParts,
  GRANT_ISSUER,
  type GrantClaims,
  grantAudience,
  type JsonObject,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, generateSigningKey, publicKeySet, signerOf, signGrant, staticKeySet } from "@toolbus/grants";
import type { Executor } from "../tool/toolset.ts";

const key = await generateSigningKey();

/** The key of approvals in tests. It is another one in each process. */
export const approvalsSigner = await signerOf(key);
export const approvalsKeys = staticKeySet(publicKeySet([key]));

export interface TestGrant {
  readonly executor: Executor;
  readonly toolset: string;
  readonly args: JsonObject;
  readonly callId: string;
  /** The time of the grant, in milliseconds since 1970. */
  readonly now: number;
  /** Claims that differ from those of the genuine grant. */
  readonly change?: Partial<GrantClaims>;
}

/** Signs the grant that approvals would sign for this call of a write, after as many people have approved it as its tier needs. */
export function testGrant({ executor, toolset, args, callId, now, change = {} }: TestGrant): Promise<string> {
  const { definition, hash } = executor;
  const { tier } = assessRisk(definition, args);
  const need = APPROVERS_NEEDED[tier];
  const at = Math.floor(now / 1000);
  const claims: GrantClaims = {
    iss: GRANT_ISSUER,
    aud: grantAudience(toolset),
    jti: approvalIdOf(change.callId ?? callId),
    iat: at,
    nbf: at,
    exp: at + 900,
    era: 1,
    tenant: "local",
    runId: callParts(callId).runId,
    callId,
    tool: definition.name,
    toolVersion: definition.version,
    toolHash: hash,
    argsHash: argumentsHash(canonicalJson(args)),
    tier,
    requester: "user:one",
    approvers: Array.from({ length: need }, (_, i) => ({ sub: `approver:${i}`, at: now, via: "http" })),
    need,
    ...change,
  };
  return signGrant(claims, approvalsSigner);
}
