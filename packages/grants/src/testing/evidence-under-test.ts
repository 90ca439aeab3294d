import {
  type ApprovalPart,
  approvalIdOf,
  type CallPart,
  type ChainedRecord,
  type CheckpointView,
  type GrantClaims,
  GRANT_ISSUER,
  type Json,
  type JsonObject,
  keys,
  type ToolDefinition,
  type ToolResult,
} from "@toolbus/contracts";
import { chained, linkOf } from "../audit-chain.ts";
import { canonicalJson } from "../canonical-json.ts";
import { signCheckpoint } from "../checkpoint.ts";
import { evidenceText, publicKeysIn, signEvidence } from "../evidence.ts";
import { signGrant } from "../grant.ts";
import { answerHash, argumentsHash, resultHash, toolHash } from "../hashes.ts";
import { publicKeyOf } from "../keys.ts";
import { ownKeys } from "../own-keys.ts";
import { signReceipt } from "../receipt.ts";
import { signDocument } from "../signed-document.ts";

export const own = await ownKeys(["approvals", "gateway", "worker.orders"]);
const approvals = own.identityOf("approvals").signer;
const gateway = own.identityOf("gateway").signer;
const worker = own.identityOf("worker.orders").signer;
const START = 1_800_000_000_000;

/** Returns a generator of repeatable numbers below a limit (mulberry32). */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 0x9e3779b9;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** The parts of the evidence about one write, which the tests can change before the file is made. */
export interface Parts {
  readonly approval: ApprovalPart;
  readonly call: CallPart | null;
}

/** Returns the parts of the evidence about a random write, as the services make them. The same seed gives the same write. */
export async function partsFrom(seed: number): Promise<Parts> {
  const random = numbersFrom(seed);
  const shard = random(256).toString(16).padStart(2, "0");
  const runId = `rn_${shard}_01HZX3V5J8K2M4N6P8Q0R2S4T${String.fromCodePoint(65 + random(8))}`;
  const callId = `${runId}.${1 + random(9)}.${random(4)}`;
  const approvalId = approvalIdOf(callId);
  const tenant = ["acme", "other", "Gesellschaft für Größe"][random(3)] ?? "acme";
  const need = random(3);
  const denied = need > 0 && random(4) === 0;
  const definition = definitionOf(random);
  const args = canonicalJson({ amount: random(10_000) / 100, order: `ORD-${random(9999)}`, note: "„Ersatz“ \u00e9 \n=1+1" });
  const decisions = Array.from({ length: denied ? 1 : need }, (_, n) => ({
    approver: ["amy", "ben", "cat"][n] ?? "amy",
    decision: denied ? "deny" : "approve",
    at: START + n * 1000,
    via: random(2) === 0 ? "http" : "hook:chat",
  }));
  const status = denied ? "rejected" : "approved";
  const approval = {
    approvalId,
    callId,
    correlationId: `c-${seed}`,
    runId,
    conversationId: runId.replace("rn_", "cv_"),
    tenant,
    requester: "rita",
    agent: "default",
    toolName: definition.name,
    toolVersion: definition.version,
    toolHash: toolHash(definition),
    toolset: "orders",
    arguments: args,
    argsHash: argumentsHash(args),
    tier: ["low", "high", "critical"][need] ?? "low",
    reasons: ["more than 50"],
    idempotency: "key",
    effect: `Refund for order ${random(9999)}.`,
    need,
    status,
    decisions,
    requestedAt: START - 1,
    expiresAt: START + 900_000,
    endedAt: START + 5000,
    sent: 2,
  };
  const origin = { runId, tenant, principal: "rita", scopes: ["orders"], agent: "default", messageHash: "hash", createdAt: START };
  const pin = {
    toolset: "orders",
    definition,
    hash: toolHash(definition),
    enabled: true,
    pinnedAt: START,
    pinnedBy: "otto",
    receiptKeys: [publicKeyOf(worker)],
  };
  const claims = status === "approved" ? claimsOf(approval, decisions) : null;
  const originKey = keys.runOrigin(runId);
  const pinKey = random(2) === 0 ? keys.pin(definition.name) : keys.pinBeside(definition.name, toolHash(definition));
  const part: ApprovalPart = {
    callId,
    approvalId,
    tenant,
    approval: approval as unknown as JsonObject,
    arguments: args,
    origin:
      random(8) === 0
        ? null
        : ((await signDocument("tb-origin+jwt", { key: originKey, revision: 1, content: origin }, gateway)) as JsonObject),
    pin: (await signDocument("tb-pin+jwt", { key: pinKey, revision: 3, content: pin as unknown as JsonObject }, approvals)) as JsonObject,
    grant: claims && { claims, signed: random(3) === 0 ? null : await signGrant(claims, approvals) },
    audit: await auditOf({ approvalId, callId, tenant, status, decisions }, random),
    gatewayKeys: { keys: [publicKeyOf(gateway)] },
    receiptKeys: [publicKeyOf(worker)],
  };
  if (status !== "approved" || random(8) === 0) return { approval: part, call: null };
  const result: ToolResult = { status: "ok", content: `{"refund":"R-${random(9999)}"}`, isError: false };
  const answered = { callId, toolset: "orders", tool: definition.name, toolHash: toolHash(definition), argsHash: argumentsHash(args) };
  const receipt = await signReceipt(
    { ...answered, fence: 1, at: START, resultHash: resultHash(result), answerHash: answerHash(result) },
    worker,
  );
  const call = { toolName: definition.name, kind: "write", state: "resolved", dispatch: 1 + random(3) };
  return { approval: part, call: { callId, tenant, call, result, receipt: random(8) === 0 ? null : receipt } };
}

/** Returns the parts as an agent shows them that puts a refusal of the same call in the place of the answer. `stale` is the refusal of a grant. */
export async function withRefusal({ approval: part, call }: Parts, { stale = false } = {}): Promise<Parts> {
  const { callId } = part;
  const { toolName: tool, toolHash: definitionHash } = part.approval as unknown as { readonly toolName: string; readonly toolHash: string };
  const refused: ToolResult = { status: "error", content: `Tool "${tool}" has no version 99 here.`, isError: true };
  const result: ToolResult = stale ? { ...refused, contentRef: { blob: `sha256-${"0".repeat(64)}`, chars: 9, bytes: 9 } } : refused;
  const answered = { callId, toolset: "orders", tool, toolHash: definitionHash, argsHash: argumentsHash(part.arguments) };
  const receipt = await signReceipt(
    {
      ...answered,
      fence: 0,
      at: START,
      resultHash: resultHash(result),
      answerHash: answerHash(stale ? ({ ...result, status: "grant_stale" } as unknown as ToolResult) : result),
    },
    worker,
  );
  return { approval: part, call: call && { ...call, result, receipt } };
}

/** Returns the file of these parts, with the statements of both services. */
export async function fileOf({ approval: part, call }: Parts): Promise<string> {
  const statement = await signEvidence("tb-approvals", { callId: part.callId, part: part as unknown as Json, at: START }, approvals);
  const keysOfApprovals = { keys: publicKeysIn({ keys: [publicKeyOf(approvals)] }) };
  const gatewayPart = call && {
    part: call,
    statement: await signEvidence("tb-gateway", { callId: part.callId, part: call as unknown as Json, at: START }, gateway),
  };
  return evidenceText({ part, statement, keys: keysOfApprovals }, gatewayPart);
}

/** Returns a chain of these records. A checkpoint follows after each group of `every` records and after the last record. */
export async function chainWithCheckpoints(
  records: readonly JsonObject[],
  { tenant = "acme", every = 3 }: { readonly tenant?: string | null; readonly every?: number } = {},
): Promise<readonly ({ readonly record: ChainedRecord } | { readonly checkpoint: CheckpointView })[]> {
  const parts: ({ readonly record: ChainedRecord } | { readonly checkpoint: CheckpointView })[] = [];
  let end: ChainedRecord | null = null;
  for (const [index, record] of records.entries()) {
    end = chained(end, { source: { shard: "03", sequence: index + 1 }, attested: true, record }, { tenant, at: START + index });
    parts.push({ record: end });
    if ((index + 1) % every === 0 || index === records.length - 1)
      parts.push({ checkpoint: await signCheckpoint({ tenant, n: end.n, hash: end.hash, at: end.at }, approvals) });
  }
  return parts;
}

async function auditOf(
  about: {
    readonly approvalId: string;
    readonly callId: string;
    readonly tenant: string;
    readonly status: string;
    readonly decisions: readonly JsonObject[];
  },
  random: (below: number) => number,
): Promise<ApprovalPart["audit"]> {
  const { approvalId, callId, tenant, status, decisions } = about;
  const ownRecord = (event: string, more: JsonObject): JsonObject => ({ event, approvalId, callId, tenant, ...more });
  const mine: JsonObject[] = [
    ...(decisions.length > 0 ? [ownRecord("held", { by: "default", at: START })] : []),
    ...decisions.map(({ approver, decision, at }) =>
      ownRecord("decision", { by: approver ?? null, decision: decision ?? null, at: at ?? null }),
    ),
    ownRecord(status, { by: "policy", at: START + 5000 }),
  ];
  // Between these records, the chain has records of other approvals.
  const all = mine.flatMap((record) => [
    record,
    ...Array.from({ length: random(3) }, () => ({ event: "held", tenant, approvalId: "ap_other" })),
  ]);
  const parts = await chainWithCheckpoints(all, { tenant, every: 1 + random(4) });
  const pieces: { records: (ChainedRecord | ReturnType<typeof linkOf>)[]; checkpoint: CheckpointView }[] = [];
  let records: ChainedRecord[] = [];
  for (const part of parts) {
    if ("record" in part) records.push(part.record);
    else {
      const first = records.findIndex(({ record }) => record["approvalId"] === approvalId);
      const shown = records.slice(first).map((one) => (one.record["approvalId"] === approvalId ? one : linkOf(one)));
      if (first >= 0) pieces.push({ records: shown, checkpoint: part.checkpoint });
      records = [];
    }
  }
  return pieces;
}

function claimsOf(
  approval: { readonly [name: string]: unknown },
  decisions: readonly { readonly approver: string; readonly at: number; readonly via: string }[],
): GrantClaims {
  const text = (name: string): string => String(approval[name]);
  return {
    iss: GRANT_ISSUER,
    aud: "tb-executor:orders",
    jti: text("approvalId"),
    iat: START / 1000,
    nbf: START / 1000,
    exp: START / 1000 + 900,
    era: 1,
    tenant: text("tenant"),
    runId: text("runId"),
    callId: text("callId"),
    tool: text("toolName"),
    toolVersion: text("toolVersion"),
    toolHash: text("toolHash"),
    argsHash: text("argsHash"),
    tier: text("tier") as GrantClaims["tier"],
    requester: "rita",
    approvers: decisions.map(({ approver: sub, at, via }) => ({ sub, at, via })),
    need: decisions.length,
  };
}

function definitionOf(random: (below: number) => number): ToolDefinition {
  return {
    name: ["issue_refund", "wire_transfer", "add_note"][random(3)] ?? "issue_refund",
    version: String(1 + random(9)),
    description: "Pays money back.",
    parameters: { type: "object", additionalProperties: false, properties: { order: { type: "string" }, amount: { type: "number" } } },
    kind: "write",
    risk: { tier: "high" },
    idempotency: { mode: "key", keepsForMs: 86_400_000 },
    timeoutMs: 30_000,
    effect: "Refund ${amount} for order {order}.",
    source: "orders",
  };
}
