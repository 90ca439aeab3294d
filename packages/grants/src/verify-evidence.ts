import {
  approvalIdOf,
  type ApprovalPart,
  describeProblems,
  type EvidenceFile,
  type Json,
  type JsonObject,
  keys as storeKeys,
  parseEvidenceFile,
  parsePin,
  type PublicJwk,
} from "@toolbus/contracts";
import { chainFault } from "./audit-chain.ts";
import { canonicalJson } from "./canonical-json.ts";
import { verifyCheckpoint } from "./checkpoint.ts";
import { checksumOf, publicKeysIn, verifyEvidencePart } from "./evidence.ts";
import { GRANT_TYPE } from "./grant.ts";
import { answerHash, argumentsHash, hasToolHash, resultHash } from "./hashes.ts";
import { countedIn, decisionsIn, demand, textOf } from "./evidence-approval.ts";
import { checkPlan } from "./evidence-plan.ts";
import { openJws } from "./jws.ts";
import { publicKeys } from "./key-sources.ts";
import type { KeySet } from "./key-set.ts";
import { verifyReceipt } from "./receipt.ts";
import { verifyDocument } from "./signed-document.ts";
import { parseStrictJson } from "./strict-json.ts";
import { BrokenLink, checkKeyIds, type FileVerdict } from "./verdict.ts";

/** The largest evidence file, in bytes. */
export const MAX_EVIDENCE_BYTES = 4 * 1024 * 1024;

/**
 * Checks an evidence file, offline: every signature, every hash, and every link between its parts. `trusted` are the keys of approvals that the
 * caller trusts. Without them, the keys in the file are used. Stops at the first broken link.
 */
export async function verifyEvidence(
  text: string,
  { trusted = null }: { readonly trusted?: readonly PublicJwk[] | null } = {},
): Promise<FileVerdict> {
  const checked: string[] = [];
  const unattested: string[] = [];
  const missing: string[] = [];
  const verdict = (broken: string | null, keysFromFile: readonly string[]): FileVerdict => ({
    kind: "evidence",
    checked,
    broken,
    keysFromFile,
    unattested,
    missing,
  });
  let own: readonly string[] = [];
  try {
    const file = fileIn(text);
    checkKeyIds(file.keys.keys);
    const roots = trusted ?? file.keys.keys;
    if (trusted === null) own = roots.map(({ kid }) => kid);
    await checkApprovals(file, publicKeys(roots), { checked, unattested, missing });
    await checkGateway(file, { checked, unattested, missing });
    const { checksum, ...parts } = file;
    demand(checksumOf(parts) === checksum, "The checksum of the file is not that of its parts.");
    return verdict(null, own);
  } catch (error) {
    if (!(error instanceof BrokenLink)) throw error;
    return verdict(error.message, own);
  }
}

interface Notes {
  readonly checked: string[];
  readonly unattested: string[];
  readonly missing: string[];
}

function fileIn(text: string): EvidenceFile {
  const parsed = parseStrictJson(text, MAX_EVIDENCE_BYTES);
  if (!parsed.ok) throw new BrokenLink(`The file is not strict JSON: ${describeProblems(parsed.problems)}.`);
  demand(canonicalJson(parsed.value) === text, "The file is not canonical JSON, so a byte of it was added or changed.");
  const file = parseEvidenceFile(parsed.value);
  if (!file.ok) throw new BrokenLink(`The file is not evidence of this version: ${describeProblems(file.problems)}.`);
  return file.value;
}

async function checkApprovals({ approvals: { part, statement } }: EvidenceFile, roots: KeySet, notes: Notes): Promise<void> {
  const { callId, approval } = part;
  await demandGenuine(verifyEvidencePart("tb-approvals", { part: asJson(part), callId, statement }, roots), "The statement of approvals");
  notes.checked.push("Approvals signed its part: the request, the card, the decisions and the outcome.");
  demand(part.approvalId === approvalIdOf(callId) && approval["approvalId"] === part.approvalId, "The approval is not that of the call.");
  demand(approval["callId"] === callId && approval["tenant"] === part.tenant, "The approval is of another call or tenant.");
  checkArguments(part, notes);
  await checkOrigin(part, notes);
  await checkPin(part, roots, notes);
  await checkGrant(part, roots, notes);
  await checkPlan(part, notes);
  await checkAudit(part, roots, notes);
}

function checkArguments({ arguments: text, approval, grant }: ApprovalPart, { checked, missing }: Notes): void {
  if (text === "") {
    missing.push("The arguments: approvals does not keep those of a refused request.");
    return;
  }
  demand(argumentsHash(text) === (grant?.claims.argsHash ?? approval["argsHash"]), "The arguments do not have the hash that was approved.");
  checked.push("The arguments have the hash that was approved.");
}

async function checkOrigin({ origin, approval, gatewayKeys, tenant }: ApprovalPart, { checked, missing }: Notes): Promise<void> {
  if (origin === null) {
    missing.push("The origin: the store no longer had it.");
    return;
  }
  const key = storeKeys.runOrigin(textOf(approval, "runId"));
  const verdict = await verifyDocument("tb-origin+jwt", { key, value: origin }, publicKeys(publicKeysIn(gatewayKeys)));
  if (verdict.kind !== "genuine") throw new BrokenLink(`The gateway did not sign this origin: ${verdict.detail}.`);
  demand(origin["principal"] === approval["requester"] && origin["tenant"] === tenant, "The origin is of another requester or tenant.");
  checked.push("The gateway signed who asked for the run.");
}

async function checkPin({ pin, approval, receiptKeys }: ApprovalPart, roots: KeySet, { checked, missing }: Notes): Promise<void> {
  if (pin === null) {
    missing.push("The definition: another one was pinned since.");
    return;
  }
  const [tool, hash] = [textOf(approval, "toolName"), textOf(approval, "toolHash")];
  const known = parsePin(pin);
  if (!known.ok) throw new BrokenLink(`The pin breaks its schema: ${describeProblems(known.problems)}.`);
  const verdicts = await Promise.all(
    [storeKeys.pin(tool), storeKeys.pinBeside(tool, hash)].map((key) => verifyDocument("tb-pin+jwt", { key, value: pin }, roots)),
  );
  const [first] = verdicts;
  if (!verdicts.some(({ kind }) => kind === "genuine"))
    throw new BrokenLink(`Approvals did not sign this pin: ${first && "detail" in first ? first.detail : "it has no signature"}.`);
  demand(known.value.hash === hash && hasToolHash(known.value.definition, hash), "The pinned definition is not the approved one.");
  const pinned = new Set((known.value.receiptKeys ?? []).map(({ kid }) => kid));
  demand(
    receiptKeys.every(({ kid }) => pinned.has(kid)),
    "The file names a receipt key that the pin does not have.",
  );
  checked.push("Approvals signed the pin of the definition, and the definition has the approved hash.");
}

async function checkGrant({ grant, approval, callId, approvalId, tenant }: ApprovalPart, roots: KeySet, notes: Notes): Promise<void> {
  if (grant === null) {
    demand(approval["status"] !== "approved", "The write is approved, but the file has no grant.");
    return;
  }
  const { claims, signed } = grant;
  demand(approval["status"] === "approved", "The file has a grant for a write that is not approved.");
  demand(claims.callId === callId && claims.jti === approvalId && claims.tenant === tenant, "The grant is for another call.");
  for (const [claim, field] of GRANT_FIELDS)
    demand(claims[claim] === approval[field], `The grant names another ${claim} than the approval.`);
  const approvers = countedIn(approval).map(({ approver, at, via }) => ({ sub: approver ?? null, at: at ?? null, via: via ?? null }));
  demand(canonicalJson(asJson(claims.approvers)) === canonicalJson(approvers), "The grant names other approvers than the approval.");
  const distinct = new Set(claims.approvers.map(({ sub }) => sub));
  demand(distinct.size >= claims.need, "The grant has fewer approvers than it needs.");
  demand(!distinct.has(claims.requester), "The requester approved the write.");
  if (signed === null) {
    notes.missing.push("The grant as the worker got it: it was still valid when the file was written. Its terms are in the signed part.");
    return;
  }
  const opened = await openJws(GRANT_TYPE, signed, roots);
  if (opened.kind !== "opened") throw new BrokenLink(`Approvals did not sign this grant: ${whyNot(opened)}.`);
  demand(canonicalJson(opened.payload) === canonicalJson(asJson(claims)), "The signed grant has other terms than the file.");
  notes.checked.push("Approvals signed the grant, for this call, these arguments, this definition and these approvers.");
}

async function checkAudit({ audit, approval, approvalId, tenant }: ApprovalPart, roots: KeySet, notes: Notes): Promise<void> {
  if (audit.length === 0) {
    notes.missing.push("The records of the audit: none was chained yet, or an older version wrote them.");
    return;
  }
  const records: JsonObject[] = [];
  let last = 0;
  for (const { records: links, checkpoint } of audit) {
    const { n } = checkpoint;
    await demandGenuine(verifyCheckpoint(checkpoint, roots), `The checkpoint of record ${n}`);
    const fault = chainFault(links);
    if (fault !== null) throw new BrokenLink(`In the audit, ${fault}.`);
    const end = links.at(-1);
    demand(end?.n === n && end.hash === checkpoint.hash, `The checkpoint of record ${n} signs another record.`);
    demand((links[0]?.n ?? 0) > last, `The piece of the audit that ends with record ${n} is not after the one before it.`);
    last = n;
    for (const link of links) {
      demand(link.tenant === tenant, `Record ${link.n} of the audit belongs to another tenant.`);
      if (!("record" in link)) continue;
      demand(link.record["approvalId"] === approvalId, `Record ${link.n} of the audit belongs to another approval.`);
      if (link.attested) records.push(link.record);
      else notes.unattested.push(`approvals.part.audit: record ${link.n}`);
    }
  }
  // A record is no evidence if somebody other than approvals put it into the store, or if it comes from an old version that did not seal records.
  // Without attested records, only the statement of approvals proves the decisions.
  if (records.length === 0) {
    notes.missing.push("Records of the audit that approvals vouches for.");
    return;
  }
  for (const { approver, decision, at } of decisionsIn(approval))
    demand(
      records.some((one) => one["event"] === "decision" && one["by"] === approver && one["decision"] === decision && one["at"] === at),
      `The audit has no record of the decision of ${typeof approver === "string" ? approver : "somebody"}.`,
    );
  const { status } = approval;
  demand(
    status === "pending" || records.some(({ event }) => event === status),
    `The audit has no record that the approval ended as ${textOf(approval, "status")}.`,
  );
  notes.checked.push("The audit has every decision and the outcome, in a chain up to signed checkpoints.");
}

async function checkGateway({ approvals, gateway }: EvidenceFile, { checked, unattested, missing }: Notes): Promise<void> {
  if (gateway === null) {
    missing.push("The call, its result and the worker's receipt: the file has no part of the gateway.");
    return;
  }
  const { callId, gatewayKeys, tenant, receiptKeys, approval, grant } = approvals.part;
  const { part, statement } = gateway;
  const keys = publicKeys(publicKeysIn(gatewayKeys));
  await demandGenuine(verifyEvidencePart("tb-gateway", { part: asJson(part), callId, statement }, keys), "The statement of the gateway");
  demand(part.callId === callId && part.tenant === tenant, "The gateway's part is about another call or tenant.");
  checked.push("The gateway signed its part, as it found it in the store.");
  unattested.push("gateway.part.call");
  const { result, receipt } = part;
  if (result === null) {
    missing.push("The result: the call had none.");
    return;
  }
  if (receipt === null) {
    unattested.push("gateway.part.result");
    return;
  }
  const expected = {
    callId,
    toolset: textOf(approval, "toolset"),
    tool: textOf(approval, "toolName"),
    toolHash: textOf(approval, "toolHash"),
    argsHash: grant?.claims.argsHash ?? textOf(approval, "argsHash"),
    resultHash: resultHash(result),
  };
  if (receiptKeys.length === 0) {
    missing.push("The keys of the toolset: no pin has them, so the receipt could not be checked.");
    unattested.push("gateway.part.result");
    return;
  }
  const verdict = await verifyReceipt({ receipt, keys: publicKeys(receiptKeys), expected });
  if (verdict.kind !== "genuine") throw new BrokenLink(`The worker's receipt is not genuine: ${verdict.detail}.`);
  // The agent stores a long text as a blob, and the receipt covers the answer as it was sent. The hash of the text proves the content, not the
  // status.
  const isWhole = verdict.claims.answerHash === answerHash(result);
  demand(isWhole || result.contentRef !== undefined, "The worker's receipt is for another answer than the result.");
  if (verdict.claims.fence === NOTHING_BEGAN) {
    // A worker signs a refusal for everybody who may send it the call, also with a version or a grant that it cannot use. So the receipt says nothing
    // about a later sending, and a compromised agent could show this receipt in place of the one for the write.
    unattested.push("gateway.part.result");
    missing.push(
      "Whether the write happened: the worker's receipt is for a refusal before anything began, and the worker may have executed another sending of the call.",
    );
    checked.push("A worker of the toolset signed the receipt, which says that it refused one sending of this call.");
    return;
  }
  if (!isWhole) unattested.push("gateway.part.result.status");
  checked.push("A worker of the toolset signed the receipt, for this call, these arguments and this result.");
}

/** The fence in the receipt of a refusal. An attempt at the write has a fence of at least 1. */
const NOTHING_BEGAN = 0;

const GRANT_FIELDS = [
  ["runId", "runId"],
  ["tool", "toolName"],
  ["toolVersion", "toolVersion"],
  ["toolHash", "toolHash"],
  ["tier", "tier"],
  ["requester", "requester"],
  ["need", "need"],
] as const;

async function demandGenuine(
  judged: Promise<{ readonly kind: "genuine" } | { readonly kind: "unknown_key" | "forged"; readonly detail: string }>,
  what: string,
): Promise<void> {
  const verdict = await judged;
  if (verdict.kind !== "genuine") throw new BrokenLink(`${what} is not genuine: ${verdict.detail}.`);
}

function whyNot(opened: { readonly kind: string; readonly kid?: string; readonly detail?: string }): string {
  return opened.detail ?? `the key ${opened.kid ?? ""} is not known`;
}

function asJson(value: unknown): Json {
  return value as Json;
}
