import {
  type Approval,
  type DecisionToken,
  describeProblems,
  type Json,
  keys,
  type Parsed,
  parseApproval,
  parseDecisionToken,
  parseInboxEntry,
  parseRunOrigin,
  type RunOrigin,
  shardOf,
} from "@toolbus/contracts";
import { contentHash, type SignedReader } from "@toolbus/grants";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Read } from "../machine/approval.ts";
import type { NotGenuine, OpenedDocument, ReadDocument, SealedStore } from "./sealed-store.ts";
import type { RecordSecurityEvent } from "./security.ts";

/** An approval, the origin of its run and a token, read at one moment. */
export interface Records {
  readonly now: number;
  readonly approval: Read<Approval> | null;
  /** The stored approval if it is not valid, else null. Approvals must not act on its content. */
  readonly refused: RefusedApproval | null;
  /** The origin, or null if none is stored or the gateway did not sign the stored one. */
  readonly origin: RunOrigin | null;
  /** The token, or null if the caller asked for none or none has this hash. */
  readonly token: Read<DecisionToken> | null;
}

export interface RefusedApproval {
  readonly version: number;
  readonly why: NotGenuine;
  /** The content of the refused document. It shows whom the document may concern, but approvals must not trust it. */
  readonly claimed: Approval | null;
}

/** The documents of approvals in the store. Every read checks the seal or the signature. */
export interface ApprovalDocuments {
  /** Reads an approval with its origin and a token. Throws if a genuine document breaks its schema, because that is a bug of this service. */
  read(approvalId: string, runId: string, tokenHash?: string): Promise<Records>;
  /** Returns the approval, or null if no valid one is stored. */
  approval(approvalId: string): Promise<Approval | null>;
  /** Returns the genuine approvals among these, in order. */
  approvals(approvalIds: readonly string[]): Promise<readonly Approval[]>;
  /**
   * Returns the requester's own message, as the gateway accepted it. Returns null if the message is gone, or if it is not the one whose hash the
   * gateway signed in the origin.
   */
  message(origin: RunOrigin, approvalId: string): Promise<string | null>;
  /** Reads and checks another document of this approval that only this service writes. */
  own(key: string, approvalId: string): Promise<{ readonly now: number; readonly document: OpenedDocument }>;
}

export interface ApprovalDocumentsOptions {
  readonly sealed: SealedStore;
  /** Reads origins and checks them with the gateway's keys. */
  readonly origins: SignedReader;
  readonly security: RecordSecurityEvent;
}

export function approvalDocuments({ sealed, origins, security }: ApprovalDocumentsOptions): ApprovalDocuments {
  // Each refused document causes only one event, however often it is read.
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
    async message({ runId, textHash }, approvalId) {
      const key = keys.inbox(shardOf(runId), runId);
      const { documents } = await sealed.read([key]);
      const stored = documents[0]?.stored;
      if (!stored || textHash === undefined) return null;
      const entry = parseInboxEntry(stored.value);
      if (entry.ok && entry.value.kind === "message" && contentHash(entry.value.text) === textHash) return entry.value.text;
      await tell(
        key,
        { version: stored.version, why: "other_text", detail: "its text is not the one that the gateway signed" },
        approvalId,
      );
      return null;
    },
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

/** Returns whether this store has a shard of this number. A document of any other shard was never written here. */
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

/** Returns the content of a document that is not valid, or null if the content is not an approval. */
function claimed(document: StoredDocument | null | undefined): Approval | null {
  if (!document || typeof document.value !== "object" || document.value === null || Array.isArray(document.value)) return null;
  const { seal: _, ...content } = document.value as Record<string, Json>;
  const result = parseApproval(content);
  return result.ok ? result.value : null;
}
