import {
  type AdoptDocument,
  APPROVERS_NEEDED,
  HOME_SHARD,
  isApprovalId,
  type Json,
  type JsonObject,
  keys,
  parseApproval,
  parseEra,
  parsePin,
  type RefusedDocument,
  shardName,
  tenantOfChain,
  TIERS,
} from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { continueChain, type ContinueChainOptions, isHead } from "../record/continue-chain.ts";
import { isShardOf } from "./approval-documents.ts";
import type { ReadDocument } from "./sealed-store.ts";

/** Lets operators see and adopt the documents that approvals finds in the store under its own names but does not act on. */
export interface RefusedDocuments {
  /** Returns the refused documents of pending approvals, of registered writes, of the era and of the chains of the audit. */
  list(): Promise<readonly RefusedDocument[]>;
  /**
   * Seals an unsealed document as the operator saw it. The operator vouches for it, because nobody knows who wrote it. An adopted approval loses its
   * decisions, and its tier decides how many people it needs. A forged or older document, or one with an unknown key, is never adopted, except that
   * approvals continues a chain without trusting its refused end. A repeated request changes nothing.
   */
  adopt(wanted: AdoptDocument, by: string): Promise<"done" | { readonly reason: string }>;
}

export interface RefusedDocumentsOptions extends ContinueChainOptions {
  readonly log: Log;
}

/** The kind and the shard of a document, as its key says, and a check of whether it may be adopted. */
interface Known {
  readonly kind: RefusedDocument["kind"];
  readonly shard: string;
  /** Returns why this content is never adopted, or null if it may be adopted. */
  fault(content: JsonObject): string | null;
}

export function refusedDocuments({ sealed, signer, ownKeys, log }: RefusedDocumentsOptions): RefusedDocuments {
  const continued = continueChain({ sealed, signer, ownKeys });
  const { store: state } = sealed;
  return {
    async list() {
      const names = [...(await pendingKeys()), ...(await pinKeys()), keys.era(), ...(await chainKeys())];
      const found: RefusedDocument[] = [];
      for (let from = 0; from < names.length; from += AT_ONCE) {
        const { documents } = await sealed.read(names.slice(from, from + AT_ONCE));
        found.push(...documents.flatMap((document) => refusedOf(document) ?? []));
      }
      return found;
    },
    async adopt({ document: key, version }, by) {
      const known = knownOf(key, state);
      if (!known) return { reason: "Only an approval, a pin, the era or the end of a chain can be adopted." };
      const { now, documents } = await sealed.read([key]);
      const [found] = documents;
      if (!found || found.opened.kind === "absent") return { reason: "The document no longer exists." };
      if (found.opened.kind === "genuine") return "done";
      if (found.opened.version !== version) return { reason: "It changed after you read it." };
      if (known.kind === "chain" && isAdoptableHead(found)) {
        const outcome = await continued(found, { now, by });
        if (outcome === "done")
          log.error({ document: key, version, by }, "an operator continued a chain of the audit whose end was forged");
        return outcome;
      }
      if (found.opened.why !== "unsealed") return { reason: `It is ${found.opened.why}, and such a document is never adopted.` };
      const content = contentOf(found);
      const fault = content === null ? "it is not an object" : known.fault(content);
      if (content === null || fault !== null) return { reason: `Approvals cannot have left it open: ${fault ?? ""}.` };
      const reply = await state.commit(known.shard, {
        op: `adopt:${version}:${key}`,
        guards: [{ key, version }],
        put: [{ key, value: known.kind === "approval" ? adopted(content, { by, at: now }) : content }],
        append: [
          {
            log: keys.audit(known.shard),
            entries: [{ event: "adopted", by, at: now, document: key, version, hash: contentHash(JSON.stringify(content)) }],
          },
        ],
      });
      if (reply.outcome !== "ok") return { reason: "It changed after you read it." };
      log.warn({ document: key, version, by }, "a document without a seal was adopted by an operator");
      return "done";
    },
  };

  async function pendingKeys(): Promise<readonly string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await state.page(keys.pendingApprovals(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      for (const { member } of page.members) if (isApprovalId(member)) found.push(keys.approval(member));
      cursor = page.cursor;
    } while (cursor !== undefined && found.length < MOST);
    return found;
  }

  /** Returns the documents of the ends of all chains and of the positions in the logs. If one of them is refused, the chainer stops. */
  async function chainKeys(): Promise<readonly string[]> {
    const found = Array.from({ length: state.shards }, (_, n) => keys.auditPosition(shardName(n)));
    let cursor: string | undefined;
    do {
      const page = await state.page(keys.auditChains(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.members.map(({ member }) => keys.auditHead(tenantOfChain(member))));
      cursor = page.cursor;
    } while (cursor !== undefined && found.length < MOST);
    return found;
  }

  async function pinKeys(): Promise<readonly string[]> {
    const writes = (await readRegistry(state, log)).filter(({ definition }) => definition.kind === "write");
    return [...new Set(writes.flatMap(({ definition: { name }, hash }) => [keys.pin(name), keys.pinBeside(name, hash)]))];
  }

  function refusedOf(document: ReadDocument): RefusedDocument | null {
    const { key, opened } = document;
    const known = knownOf(key, state);
    if (opened.kind !== "refused" || !known) return null;
    const { version, why, detail } = opened;
    const says = contentOf(document);
    return {
      document: key,
      kind: known.kind,
      version,
      why,
      detail,
      adoptable: isAdoptableHead(document) || (why === "unsealed" && says !== null && known.fault(says) === null),
      says,
    };
  }
}

/**
 * Returns whether an operator may continue the chain of this end. An end with an unknown key may be genuine, so approvals needs its earlier seal keys
 * instead.
 */
function isAdoptableHead({ key, opened }: ReadDocument): boolean {
  return isHead(key) && opened.kind === "refused" && opened.why !== "unknown_key";
}

function knownOf(key: string, state: Pick<StateStore, "shards">): Known | null {
  if (key === keys.era()) return { kind: "era", shard: HOME_SHARD, fault: (content) => faultOf(parseEra(content)) };
  if (CHAIN.test(key)) return { kind: "chain", shard: HOME_SHARD, fault: () => "only the end of a chain can be replaced" };
  const [, family, shard = "", id = ""] = /^tb:(approval|pin):\{([0-9a-f]{2})\}:(.+)$/.exec(key) ?? [];
  if (family === "pin" && shard === HOME_SHARD && PIN.test(id)) return { kind: "pin", shard, fault: (content) => pinFaultOf(id, content) };
  if (family === "approval" && isApprovalId(id) && keys.approval(id) === key && isShardOf(state, shard))
    return { kind: "approval", shard, fault: (content) => approvalFaultOf(id, content) };
  return null;
}

/** Returns why an approval is never adopted, or null. Approvals never adopts a decided one, because it would sign a grant that nobody decided on. */
function approvalFaultOf(id: string, content: JsonObject): string | null {
  const parsed = parseApproval(content);
  if (!parsed.ok) return faultOf(parsed);
  if (parsed.value.approvalId !== id) return "it is another approval";
  if (parsed.value.adopted !== undefined) return "it claims that somebody adopted it before";
  return parsed.value.status === "pending" ? null : "it is already decided, and a new run can ask again";
}

/**
 * Returns the content that is sealed when an operator adopts an approval. The operator vouches for the write and its requester, but for no decision
 * and not for the number of people who have to approve.
 */
function adopted(content: JsonObject, vouched: { readonly by: string; readonly at: number }): JsonObject {
  const tier = TIERS.find((known) => known === content["tier"]) ?? "critical";
  return { ...content, need: APPROVERS_NEEDED[tier], decisions: [], adopted: vouched };
}

function pinFaultOf(id: string, content: JsonObject): string | null {
  const parsed = parsePin(content);
  if (!parsed.ok) return faultOf(parsed);
  const { definition, hash } = parsed.value;
  return id === definition.name || id === `${definition.name}@${hash}` ? null : "it is the pin of another tool";
}

function faultOf(parsed: { readonly ok: boolean }): string | null {
  return parsed.ok ? null : "it breaks the schema";
}

/** Returns the content without the fields that only approvals adds, or null if it is not an object. */
function contentOf({ stored }: ReadDocument): JsonObject | null {
  const value: Json | undefined = stored?.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { seal: _, signature: __, revision: ___, ...content } = value as { readonly [name: string]: Json };
  return content;
}

const CHAIN = /^tb:audit:\{00\}:(?:head|position)\./;
const PIN = /^[a-z][a-z0-9_]{0,63}(@[\w-]{1,100})?$/;
const PAGE = 100;
const MOST = 2000;
const AT_ONCE = 50;
