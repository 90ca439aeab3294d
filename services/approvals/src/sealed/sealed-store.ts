import { type Json, type JsonObject, keys as storeKeys } from "@toolbus/contracts";
import {
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
import type { Change, StateStore, StoredDocument } from "@toolbus/state";

/**
 * The state store as approvals uses it: a document does not count only because it is there. Documents that only approvals reads (approval, token, quota)
 * are sealed with its own secret; those that others read too (pin, era, probe) are signed with its key. Every commit through `store` gets its seal or signature,
 * and every read document is checked with `open` before anybody acts on it.
 */
export interface SealedStore {
  readonly store: StateStore;
  /**
   * The document if it counts. A genuine one is remembered: from then on this process refuses an older revision of it. An answer of the store may be
   * overtaken by a later one, so a caller that finds an older one reads again before reporting it: `read` does.
   */
  open(key: string, document: StoredDocument | null | undefined): Promise<OpenedDocument>;
  /** Reads documents and opens those of approvals, once more if an answer may have been overtaken. Others are returned unchanged. */
  read(keys: readonly string[]): Promise<{ readonly now: number; readonly documents: readonly ReadDocument[] }>;
  readonly isOfOlderKey: IsOfOlderKey;
}

/** Whether a document of approvals carries a seal or a signature of another key than the current one: it has to be written again before that key goes. */
export type IsOfOlderKey = (document: ReadDocument) => boolean;

export interface ReadDocument {
  readonly key: string;
  readonly stored: StoredDocument | null;
  readonly opened: OpenedDocument;
}

/** Why a stored document does not count. `unsealed`: it is from a version before seals, or somebody removed the seal. */
export type NotGenuine = "unsealed" | "forged" | "unknown_key" | "older";

export type OpenedDocument =
  | { readonly kind: "absent" }
  | { readonly kind: "genuine"; readonly version: number; readonly value: Json }
  | {
      readonly kind: "refused";
      readonly version: number;
      readonly why: NotGenuine;
      readonly detail: string;
      /** The highest revision of it that this process has seen; 0 for none. */
      readonly seen: number;
    };

export interface SealedStoreOptions {
  readonly state: StateStore;
  readonly seals: SealKeys;
  readonly signer: Signer;
  /** The public halves of approvals' own keys. */
  readonly ownKeys: KeySet;
}

// Two more: each read starts after the newer one was seen, so only answers that race again can be older.
const READS = 3;

const SEALED: ReadonlySet<string> = new Set(["approval", "token", "quota"]);
const SIGNED: Readonly<Record<string, SignedDocumentType>> = { pin: "tb-pin+jwt", era: "tb-era+jwt", removal: "tb-removal+jwt" };
const PROBE: SignedDocumentType = "tb-probe+jwt";

export function sealedStore({ state, seals, signer, ownKeys }: SealedStoreOptions): SealedStore {
  const seen = seenRevisions();
  const sealed = sealReader({ keys: seals });
  // They remember what they verified: pins and the era are read for every write, and change rarely.
  const signed = new Map([...Object.values(SIGNED), PROBE].map((typ) => [typ, signedReader({ typ, keys: ownKeys })] as const));
  const self: SealedStore = {
    store: {
      ...state,
      commit: async (shard, change) => state.commit(shard, await protectedChange(change)),
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
    isOfOlderKey: ({ key, stored, opened }) =>
      opened.kind === "genuine" && isOurs(key) && keyIdIn(stored?.value) !== (typOf(key) ? signer.kid : seals.current.kid),
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

  async function protectedChange(change: Change): Promise<Change> {
    if (!change.put) return change;
    return {
      ...change,
      put: await Promise.all(change.put.map(async (put) => ({ ...put, value: await protectedValue(put.key, put.value) }))),
    };
  }

  /**
   * One above the highest revision that was read here: a new decision reads the document first, and a guard refuses a decision that is based on an older
   * one.
   */
  async function protectedValue(key: string, value: Json): Promise<Json> {
    if (!isOurs(key)) return value;
    const typ = typOf(key);
    const document = { key, revision: seen.highest(key) + 1, content: value as JsonObject };
    if (typ !== undefined) return signDocument(typ, document, signer);
    const protectedDocument = sealDocument(document, seals);
    sealed.sealed(key, protectedDocument);
    return protectedDocument;
  }
}

/** The id of the key that sealed or signed it, as the document says. */
function keyIdIn(value: Json | undefined): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { seal, signature } = value as { readonly seal?: { readonly kid?: string }; readonly signature?: string };
  if (signature === undefined) return seal?.kid ?? null;
  const header = JSON.parse(Buffer.from(signature.split(".")[0] ?? "", "base64url").toString()) as { readonly kid?: string };
  return header.kid ?? null;
}

function isOurs(key: string): boolean {
  return SEALED.has(familyOf(key)) || typOf(key) !== undefined;
}

/** The kind of signature that a document under this key needs; undefined for one that is sealed, or not ours. */
function typOf(key: string): SignedDocumentType | undefined {
  if (key === storeKeys.keyProbe()) return PROBE;
  const family = familyOf(key);
  return Object.hasOwn(SIGNED, family) ? SIGNED[family] : undefined;
}

/** `tb:<family>:{<shard>}:<id>` */
function familyOf(key: string): string {
  return key.split(":", 2)[1] ?? "";
}
