import { type Era, type Json, keys as storeKeys, parseEra } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";

/** Only `genuine` may be acted on; `era` is null while approvals never raised it. */
export type EraVerdict =
  | { readonly kind: "genuine"; readonly era: Era | null }
  /** `older`: this process has seen a later one, or one where there is none now: the store lost it, or somebody put it back. */
  | { readonly kind: "refused"; readonly why: "unsigned" | "unknown_key" | "forged" | "older"; readonly detail: string };

/** Judges the era as it stands in the store, as one process sees it. Throws if approvals signed it and it cannot be read. */
export interface EraReader {
  read(value: Json | undefined): Promise<EraVerdict>;
}

/** `keys`: those of the approvals service. An era voids grants, so one that is not genuine must stop every write. */
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
      // Approvals counts revisions from the start again if the store has lost the document, and never gives two eras the same number.
      if (verdict.kind === "older" && era <= highest) return { kind: "refused", why: "older", detail: verdict.detail };
      highest = Math.max(highest, era);
      return { kind: "genuine", era: parsed.value };
    },
  };
}
