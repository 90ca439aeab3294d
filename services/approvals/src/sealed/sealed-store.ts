import { isJsonObject, type Json, type JsonObject, keys as storeKeys } from "@toolbus/contracts";
import {
  openSeal,
  sealDocument,
  type SealKeys,
  sealReader,
  seenRevisions,
  signDocument,
  signedReader,
  type SignedDocumentType,
  type Signer,
} from "@toolbus/grants";
import type { KeySet } from "@toolbus/grants";
import type { Change, CommitReply, StateStore, StoredDocument } from "@toolbus/state";

/**
 * The state store as approvals uses it. Approvals does not trust a document because it is in the store. Documents that only approvals reads
 * (approval, token, quota) are sealed with its own secret. Documents that other services read too (pin, era, removal, probe) are signed with its key.
 * Every commit through `store` adds the seal or signature, and every read document is checked with `open` before anybody acts on it.
 */
export interface SealedStore {
  readonly store: StateStore;
  /**
   * Returns the document if it is genuine, or why it is refused. The process remembers the revision of a genuine document and refuses an older
   * revision from then on. A later answer of the store may overtake an earlier one. So a caller that finds an older document reads it again before
   * reporting it, as `read` does.
   */
  open(key: string, document: StoredDocument | null | undefined): Promise<OpenedDocument>;
  /**
   * Reads documents and opens those of approvals. Reads them again if one answer may have overtaken another. Other documents are returned unchanged.
   */
  read(keys: readonly string[]): Promise<{ readonly now: number; readonly documents: readonly ReadDocument[] }>;
  /** Commits like `store`, and gives each document a revision above `floor`, even if this process has not seen that revision. */
  commitAbove(shard: string, change: Change, floor: number): Promise<CommitReply>;
  readonly isOfOlderKey: IsOfOlderKey;
  /**
   * Returns a record of the audit without its seal, and whether approvals sealed it for this log. Every commit through `store` seals its records, because
   * the chain of the audit is signed and must not vouch for a record that somebody else put into the store.
   */
  openRecord(log: string, value: Json): { readonly attested: boolean; readonly record: Json };
}

/**
 * Returns whether a document of approvals has a seal or signature of a key other than the current one. Such a document must be rewritten before that
 * key is removed.
 */
export type IsOfOlderKey = (document: ReadDocument) => boolean;

export interface ReadDocument {
  readonly key: string;
  readonly stored: StoredDocument | null;
  readonly opened: OpenedDocument;
}

/** Why a stored document is not valid. `unsealed` means that it is from a version before seals, or that somebody removed the seal. */
export type NotGenuine = "unsealed" | "forged" | "unknown_key" | "older";

export type OpenedDocument =
  | { readonly kind: "absent" }
  | { readonly kind: "genuine"; readonly version: number; readonly value: Json }
  | {
      readonly kind: "refused";
      readonly version: number;
      readonly why: NotGenuine;
      readonly detail: string;
      /** The highest revision of the document that this process has seen, and 0 if it has seen none. */
      readonly seen: number;
    };

export interface SealedStoreOptions {
  readonly state: StateStore;
  readonly seals: SealKeys;
  readonly signer: Signer;
  /** The public halves of approvals' own keys. */
  readonly ownKeys: KeySet;
  /** Is called with the shard after each commit that added records to the audit. */
  readonly onRecords?: (shard: string) => void;
}

// Two more reads are enough. Each of them starts after this process saw the newer document, so it finds an older one only if answers race again.
const READS = 3;

const SEALED: ReadonlySet<string> = new Set(["approval", "token", "quota"]);
const SIGNED: Readonly<Record<string, SignedDocumentType>> = { pin: "tb-pin+jwt", era: "tb-era+jwt", removal: "tb-removal+jwt" };
/** The documents of the chain that decide where the next record goes. The other documents of this family only save work. */
const SEALED_OF_CHAIN = /^tb:audit:\{00\}:(?:head|position)\./;
/** The logs in which transitions record what they did. */
const RECORDS = /^tb:audit:\{[0-9a-f]{2}\}:audit$/;
const PROBE: SignedDocumentType = "tb-probe+jwt";

export function sealedStore({ state, seals, signer, ownKeys, onRecords }: SealedStoreOptions): SealedStore {
  const seen = seenRevisions();
  const sealed = sealReader({ keys: seals });
  // The readers remember the documents that they verified, because pins and the era are read for every write and change rarely.
  const signed = new Map([...Object.values(SIGNED), PROBE].map((typ) => [typ, signedReader({ typ, keys: ownKeys })] as const));
  const self: SealedStore = {
    store: {
      ...state,
      async commit(shard, change) {
        const reply = await state.commit(shard, await protectedChange(change));
        if (reply.outcome === "ok" && change.append?.some(({ log }) => RECORDS.test(log))) onRecords?.(shard);
        return reply;
      },
    },
    async open(key, document) {
      if (!document) return { kind: "absent" };
      const { version, value } = document;
      if (!isOurs(key)) return { kind: "genuine", version, value };
      const verdict = await judge(key, value);
      if (verdict.kind !== "genuine")
        return { kind: "refused", version, why: verdict.why, detail: verdict.detail, seen: seen.highest(key) };
      if (!seen.note(key, verdict.revision))
        return {
          kind: "refused",
          version,
          why: "older",
          detail: `its revision ${verdict.revision} was replaced before`,
          seen: seen.highest(key),
        };
      return { kind: "genuine", version, value: verdict.content };
    },
    commitAbove: async (shard, change, floor) => state.commit(shard, await protectedChange(change, floor)),
    isOfOlderKey: ({ key, stored, opened }) =>
      opened.kind === "genuine" && isOurs(key) && keyIdIn(stored?.value) !== (typOf(key) ? signer.kid : seals.current.kid),
    openRecord(log, value) {
      const opened = openSeal({ key: log, value }, seals);
      if (opened.kind === "genuine") return { attested: true, record: opened.content };
      if (!isJsonObject(value)) return { attested: false, record: value };
      const { seal: _, ...record } = value;
      return { attested: false, record };
    },
    async read(keys) {
      for (let tries = 1; ; tries++) {
        const { now, documents } = await state.read(keys);
        const found = await Promise.all(
          keys.map(async (key, n) => ({ key, stored: documents[n] ?? null, opened: await self.open(key, documents[n]) })),
        );
        const overtaken = found.some(({ opened }) => opened.kind === "refused" && opened.why === "older");
        if (!overtaken || tries === READS) return { now, documents: found };
      }
    },
  };
  return self;

  type Verdict =
    | { readonly kind: "genuine"; readonly revision: number; readonly content: Json }
    | { readonly kind: "refused"; readonly why: NotGenuine; readonly detail: string };

  async function judge(key: string, value: Json): Promise<Verdict> {
    const typ = typOf(key);
    const reader = typ && signed.get(typ);
    if (!reader) {
      const opened = sealed.open({ key, value });
      return opened.kind === "genuine" ? opened : { kind: "refused", why: opened.kind, detail: opened.detail };
    }
    const verdict = await reader.read(key, value);
    if (verdict.kind === "genuine") return { ...verdict, content: value };
    return { kind: "refused", why: verdict.kind === "unsigned" ? "unsealed" : verdict.kind, detail: verdict.detail };
  }

  async function protectedChange(change: Change, floor = 0): Promise<Change> {
    const { put: puts, append } = change;
    if (!puts && !append) return change;
    return {
      ...change,
      ...(append ? { append: append.map((one) => (RECORDS.test(one.log) ? sealedRecords(one) : one)) } : {}),
      ...(puts ? { put: await protectedPuts(puts, floor) } : {}),
    };
  }

  function sealedRecords(append: NonNullable<Change["append"]>[number]): NonNullable<Change["append"]>[number] {
    const { log, entries } = append;
    return { ...append, entries: entries.map((entry) => sealDocument({ key: log, revision: 1, content: entry as JsonObject }, seals)) };
  }

  async function protectedPuts(puts: NonNullable<Change["put"]>, floor: number): Promise<NonNullable<Change["put"]>> {
    return Promise.all(puts.map(async (put) => ({ ...put, value: await protectedValue(put.key, put.value, floor) })));
  }

  /**
   * Seals or signs a value with a revision one above the highest that was read here. A new decision reads the document first, and a guard refuses a
   * decision that is based on an older document.
   */
  async function protectedValue(key: string, value: Json, floor: number): Promise<Json> {
    if (!isOurs(key)) return value;
    const typ = typOf(key);
    const document = { key, revision: Math.max(seen.highest(key), floor) + 1, content: value as JsonObject };
    if (typ !== undefined) return signDocument(typ, document, signer);
    const protectedDocument = sealDocument(document, seals);
    sealed.sealed(key, protectedDocument);
    return protectedDocument;
  }
}

/** Returns the id of the key that sealed or signed a document, as the document says. */
function keyIdIn(value: Json | undefined): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { seal, signature } = value as { readonly seal?: { readonly kid?: string }; readonly signature?: string };
  if (signature === undefined) return seal?.kid ?? null;
  const header = JSON.parse(Buffer.from(signature.split(".")[0] ?? "", "base64url").toString()) as { readonly kid?: string };
  return header.kid ?? null;
}

function isOurs(key: string): boolean {
  return SEALED.has(familyOf(key)) || SEALED_OF_CHAIN.test(key) || typOf(key) !== undefined;
}

/** Returns the kind of signature that a document under this key needs, or undefined if the document is sealed or not approvals' own. */
function typOf(key: string): SignedDocumentType | undefined {
  if (key === storeKeys.keyProbe()) return PROBE;
  const family = familyOf(key);
  return Object.hasOwn(SIGNED, family) ? SIGNED[family] : undefined;
}

/** Returns the family from a key `tb:<family>:{<shard>}:<id>`. */
function familyOf(key: string): string {
  return key.split(":", 2)[1] ?? "";
}
