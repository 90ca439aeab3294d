import {
  ApprovalEvidence,
  AuditPage,
  auditQuery,
  type ChainKind,
  CheckpointPage,
  checkpointsQuery,
  declared,
  isApprovalId,
  type Jwks,
  shardOf,
} from "@toolbus/contracts";
import { getRoute, HttpProblem, noQuery, type Principal, type Route } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { notFound, problemOf } from "../decisions/not-decided.ts";
import type { ApprovalEvidenceOf } from "../record/approval-evidence.ts";
import { isShardOf } from "../sealed/approval-documents.ts";
import { approvalId } from "./route-docs.ts";
import type { ChainReader } from "../record/chain-reader.ts";

const TAG = "Audit";
const OPERATORS = ["operator"] as const;
const RECORDS = 50;

export interface AuditRoutesOptions {
  readonly chains: ChainReader;
  readonly evidence: ApprovalEvidenceOf;
  /** The public keys that verify checkpoints. */
  readonly jwks: Jwks;
  readonly state: Pick<StateStore, "shards">;
}

/** Returns the routes with which operators read the chained audit of their tenant, and that of events without a tenant. */
export function auditRoutes({ chains, evidence, jwks, state }: AuditRoutesOptions): readonly Route[] {
  return [
    getRoute({
      url: "/v1/audit",
      access: OPERATORS,
      docs: {
        operationId: "listAudit",
        tag: TAG,
        summary: "Lists the chained audit records of the caller's tenant.",
        description:
          "Each record names the hash of the record before, so nobody can change or remove one without breaking the chain. `chain=system` lists the events without a tenant (pins, the era). A page may have fewer records than its limit and not be the last. An event appears a few seconds after it happened.",
        answers: { 200: { says: "A page of records.", body: views.page, example: examplePage } },
        problems: ["invalid_cursor"],
      },
      query: auditQuery,
      async handle({ query, principal }) {
        const { chain, cursor, limit = RECORDS, order = "asc", since, until, tool, event, approval } = query;
        const tenant = tenantOf(chain, principal);
        const filters = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
        const names = { ...(tool === undefined ? {} : { tool }), ...(event === undefined ? {} : { event }) };
        const place = { ...(approval === undefined ? {} : { approval }), ...fromOf(cursor) };
        const { found, next } = await chains.records({ tenant, order, limit, ...filters, ...names, ...place });
        return { records: found, head: await chains.head(tenant), ...cursorOf(next) };
      },
    }),
    getRoute({
      url: "/v1/audit/checkpoints",
      access: OPERATORS,
      docs: {
        operationId: "listCheckpoints",
        tag: TAG,
        summary: "Lists the signed checkpoints of the audit's chain.",
        description:
          "A checkpoint signs the number and the hash of a record, and so every record before it. Keep one elsewhere from time to time: it shows later whether records at the end were removed.",
        answers: { 200: { says: "A page of checkpoints.", body: views.checkpoints, example: exampleCheckpoints } },
        problems: ["invalid_cursor"],
      },
      query: checkpointsQuery,
      async handle({ query: { chain, cursor, limit = RECORDS, order = "asc" }, principal }) {
        const { found, next } = await chains.checkpoints({ tenant: tenantOf(chain, principal), order, limit, ...fromOf(cursor) });
        return { checkpoints: found, keys: jwks, ...cursorOf(next) };
      },
    }),
    getRoute({
      url: "/v1/approvals/:id/evidence",
      access: OPERATORS,
      docs: {
        operationId: "getApprovalEvidence",
        tag: TAG,
        summary: "Exports what approvals knows about a write, signed, for a check without this system.",
        description:
          "It has the exact arguments of the call, so treat it as confidential. `chained` is false for a few seconds after the approval changed. `toolbus evidence` puts it into one file with the part of the gateway, and `toolbus verify` checks that file.",
        id: approvalId,
        answers: { 200: { says: "The evidence.", body: views.evidence, example: exampleEvidence } },
        problems: ["conflict"],
      },
      query: noQuery,
      async handle({ id, principal }) {
        const known = isApprovalId(id) && isShardOf(state, shardOf(id));
        const found = known ? await evidence(id, principal.tenant) : null;
        if (!found) throw notFound();
        if ("kind" in found) throw problemOf(found);
        return found;
      },
    }),
  ];
}

/** Returns the tenant whose chain is read. Nobody can read the chain of another tenant. */
function tenantOf(chain: ChainKind | undefined, { tenant }: Principal): string | null {
  return chain === "system" ? null : tenant;
}

function fromOf(cursor: string | undefined): { readonly from?: number } {
  if (cursor === undefined) return {};
  const from = /^a[0-9]{1,15}$/.test(cursor) ? Number(cursor.slice(1)) : NaN;
  if (!Number.isSafeInteger(from))
    throw new HttpProblem("invalid_cursor", "This cursor does not come from a page.", { remedy: "Start again without a cursor." });
  return { from };
}

function cursorOf(next: number | null): { readonly cursor?: string } {
  return next === null ? {} : { cursor: `a${next}` };
}

const views = {
  evidence: declared("ApprovalEvidence", ApprovalEvidence),
  page: declared("AuditPage", AuditPage),
  checkpoints: declared("CheckpointPage", CheckpointPage),
} as const;

const AT = 1_763_718_400_000;
const HASH = "sha256-z0Jb3kq1Zk7m8v2N4c6X8z0B2d4F6h8J0l2N4p6R8t0";
const examplePage = {
  records: [
    {
      n: 1,
      at: AT + 900,
      tenant: "acme",
      previous: null,
      content: "sha256-q0Jb3kq1Zk7m8v2N4c6X8z0B2d4F6h8J0l2N4p6R8t0",
      hash: HASH,
      source: { shard: "05", sequence: 1 },
      attested: true,
      record: { event: "held", by: "default", at: AT, tool: "issue_refund", tier: "high", requester: "rita" },
    },
  ],
  head: { n: 1, hash: HASH },
} as const;
const exampleCheckpoints = {
  checkpoints: [{ tenant: "acme", n: 1, hash: HASH, at: AT + 900, signed: "eyJhbGciOiJFZDI1NTE5Iiwia2lkIjoi….…" }],
  keys: {
    keys: [
      {
        kty: "OKP",
        crv: "Ed25519",
        alg: "Ed25519",
        use: "sig",
        kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
      },
    ],
  },
} as const;
const exampleEvidence = {
  part: {
    callId: approvalId.example.slice("ap_".length),
    approvalId: approvalId.example,
    tenant: "acme",
    approval: { toolName: "issue_refund", requester: "rita", status: "rejected" },
    arguments: '{"amount":149.99,"order":"ORD-8821"}',
    origin: null,
    pin: null,
    grant: null,
    audit: [],
    gatewayKeys: { keys: [] },
    receiptKeys: [],
  },
  statement: "eyJhbGciOiJFZDI1NTE5Iiwia2lkIjoi….…",
  keys: exampleCheckpoints.keys,
  chained: true,
} as const;
