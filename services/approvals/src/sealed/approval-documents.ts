import {
  type Approval,
  type DecisionToken,
  describeProblems,
  type Json,
  keys,
  type Parsed,
  parseApproval,
  parseDecisionToken,
  parseRunOrigin,
  type RunOrigin,
  shardOf,
} from "@toolbus/contracts";
import type { SignedReader } from "@toolbus/grants";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Read } from "../machine/approval.ts";
import type { NotGenuine, OpenedDocument, ReadDocument, SealedStore } from "./sealed-store.ts";
import type { RecordSecurityEvent } from "./security.ts";

/** An approval and its requester, read at one moment. */
export interface Records {
  readonly now: number;
  readonly approval: Read<Approval> | null;
  /** There is an approval, but this service did not store it: nothing in it counts. */
  readonly refused: RefusedApproval | null;
  /** Null also if the stored one is not signed by the gateway. */
  readonly origin: RunOrigin | null;
  /** Null if no token was asked for, or if there is none with this hash. */
  readonly token: Read<DecisionToken> | null;
}

export interface RefusedApproval {
  readonly version: number;
  readonly why: NotGenuine;
  /** The content of the refused document, to find whom it may concern; never to be acted on. */
  readonly claimed: Approval | null;
}

/** The documents of approvals in the store; seal and signature are checked as they are read. */
export interface ApprovalDocuments {
  /** Throws on a genuine document that breaks its schema: that is a fault of ours. */
  read(approvalId: string, runId: string, tokenHash?: string): Promise<Records>;
  /** The approval if it counts; null if there is none that does. */
  approval(approvalId: string): Promise<Approval | null>;
  /** The genuine ones among these, in order. */
  approvals(approvalIds: readonly string[]): Promise<readonly Approval[]>;
  /** Another document of this approval that only this service writes, if it counts. */
  own(key: string, approvalId: string): Promise<{ readonly now: number; readonly document: OpenedDocument }>;
}

export interface ApprovalDocumentsOptions {
  readonly sealed: SealedStore;
  /** Reads origins with the gateway's keys. */
  readonly origins: SignedReader;
  readonly security: RecordSecurityEvent;
}

export function approvalDocuments({ sealed, origins, security }: ApprovalDocumentsOptions): ApprovalDocuments {
  // One event for each refused document, not one for each read.
  const said = new Set<string>();
  return {
    async read(approvalId, runId, tokenHash) {
      const approvalKey = keys.approval(approvalId);
      const originKey = keys.runOrigin(runId);
      const tokenKey = tokenHash === undefined ? null : keys.token(approvalId, tokenHash);
      const { now, documents } = await sealed.read([approvalKey, originKey, ...(tokenKey === null ? [] : [tokenKey])]);
      const approval = await opened(documents[0], approvalId);
      const token = tokenKey === null ? null : await opened(documents[2], approvalId);
      return {
        now,
        approval: genuine(approval, parseApproval),
        refused:
          approval.kind === "refused" ? { version: approval.version, why: approval.why, claimed: claimed(documents[0]?.stored) } : null,
        origin: await originOf(originKey, documents[1]?.stored, approvalId),
        token: token && genuine(token, parseDecisionToken),
      };
    },
    async approval(approvalId) {
      const [found] = await approvalsOf([approvalId]);
      return found ?? null;
    },
    approvals: async (approvalIds) => (await approvalsOf(approvalIds)).filter((found) => found !== null),
    async own(key, approvalId) {
      const { now, documents } = await sealed.read([key]);
      return { now, document: await opened(documents[0], approvalId) };
    },
  };

  async function approvalsOf(approvalIds: readonly string[]): Promise<readonly (Approval | null)[]> {
    if (approvalIds.length === 0) return [];
    const { documents } = await sealed.read(approvalIds.map((id) => keys.approval(id)));
    return Promise.all(approvalIds.map(async (id, n) => genuine(await opened(documents[n], id), parseApproval)?.value ?? null));
  }

  async function opened(found: ReadDocument | undefined, approvalId: string): Promise<OpenedDocument> {
    if (!found) return { kind: "absent" };
    if (found.opened.kind === "refused") await tell(found.key, found.opened, approvalId);
    return found.opened;
  }

  async function originOf(key: string, document: StoredDocument | null | undefined, approvalId: string): Promise<RunOrigin | null> {
    if (!document) return null;
    const verdict = await origins.read(key, document.value);
    if (verdict.kind !== "genuine") {
      await tell(key, { version: document.version, why: verdict.kind, detail: verdict.detail }, approvalId);
      return null;
    }
    return parsed(document.value, parseRunOrigin);
  }

  async function tell(
    key: string,
    { version, why, detail }: { readonly version: number; readonly why: string; readonly detail: string },
    approvalId: string,
  ): Promise<void> {
    const name = `${key} ${version} ${why}`;
    if (said.has(name)) return;
    if (said.size >= MOST_SAID) said.clear();
    said.add(name);
    await security(shardOf(approvalId), { kind: "document_refused", approvalId, by: "store", details: { document: key, why, detail } });
  }
}

/** The shard of an id, as a number, is one of this store's: a document with another one was never written here. */
export function isShardOf(state: Pick<StateStore, "shards">, shard: string): boolean {
  return Number.parseInt(shard, 16) < state.shards;
}

const MOST_SAID = 10_000;

function genuine<T>(opened: OpenedDocument, parse: (value: unknown) => Parsed<T>): Read<T> | null {
  return opened.kind === "genuine" ? { version: opened.version, value: parsed(opened.value, parse) } : null;
}

function parsed<T>(value: Json, parse: (value: unknown) => Parsed<T>): T {
  const result = parse(value);
  if (!result.ok) throw new Error(`A stored document is damaged: ${describeProblems(result.problems)}.`);
  return result.value;
}

/** The content of a document that does not count. */
function claimed(document: StoredDocument | null | undefined): Approval | null {
  if (!document || typeof document.value !== "object" || document.value === null || Array.isArray(document.value)) return null;
  const { seal: _, ...content } = document.value as Record<string, Json>;
  const result = parseApproval(content);
  return result.ok ? result.value : null;
}
