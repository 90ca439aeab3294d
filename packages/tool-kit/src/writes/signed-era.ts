import { type Era, type Json, keys as storeKeys, parseEra } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";

/** The verdict on the era in the store. A worker may act only on `genuine`. `era` is null if approvals has never raised it. */
export type EraVerdict =
  | { readonly kind: "genuine"; readonly era: Era | null }
  /**
   * `older` means that this process has seen a later era, or an era that is missing now. Either the store lost the era, or somebody put an older one
   * back.
   */
  | { readonly kind: "refused"; readonly why: "unsigned" | "unknown_key" | "forged" | "older"; readonly detail: string };

/** Judges the era in the store for one process. Throws if approvals signed the era but it cannot be parsed. */
export interface EraReader {
  read(value: Json | undefined): Promise<EraVerdict>;
}

/** Returns a reader with the keys of the approvals service. An era voids grants, so an era that is not genuine must stop every write. */
export function eraReader(keys: KeySet): EraReader {
  const reader = signedReader({ typ: "tb-era+jwt", keys });
  let highest = 0;
  return {
    async read(value) {
      if (value === undefined)
        return highest > 0 ? { kind: "refused", why: "older", detail: "it was there before and is gone" } : { kind: "genuine", era: null };
      const verdict = await reader.read(storeKeys.era(), value);
      if (verdict.kind !== "genuine" && verdict.kind !== "older") return { kind: "refused", why: verdict.kind, detail: verdict.detail };
      const parsed = parseEra(value);
      if (!parsed.ok) throw new Error("The era document cannot be read; no grant can be judged.");
      const { era } = parsed.value;
      // If the store has lost the document, approvals starts again with the first revision, but never gives two eras the same number.
      if (verdict.kind === "older" && era <= highest) return { kind: "refused", why: "older", detail: verdict.detail };
      highest = Math.max(highest, era);
      return { kind: "genuine", era: parsed.value };
    },
  };
}
