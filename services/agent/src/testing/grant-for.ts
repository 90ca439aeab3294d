import { approvalIdOf } from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import { RUN } from "./test-bundle.ts";

export interface GrantPart {
  readonly callId?: string;
  /** The round of the plan that the grant covers. */
  readonly round?: number;
}

/** Returns the text of a grant for these arguments. It has no signature, because the agent checks only the one of the whole answer. */
export function grantFor(args: string, { callId = `${RUN}.1.0`, round }: GrantPart = {}): string {
  const hash = `sha256-${"a".repeat(43)}`;
  const claims = {
    iss: "tb-approvals",
    aud: "tb-executor:test",
    jti: approvalIdOf(callId),
    iat: 1,
    nbf: 1,
    exp: 2,
    era: 1,
    tenant: "acme",
    runId: RUN,
    callId,
    tool: "change",
    toolVersion: "1",
    toolHash: hash,
    argsHash: argumentsHash(args),
    tier: "high",
    requester: "ada",
    approvers: [{ sub: "amy", at: 1, via: "http" }],
    need: 1,
    ...(round === undefined ? {} : { plan: { hash, round } }),
  };
  return ["{}", JSON.stringify(claims), "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".");
}
