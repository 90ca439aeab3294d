import { type Json, keys as storeKeys } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Toolset } from "./toolset.ts";

/** Checks whether grants of approvals can be verified here, before a write is refused because a key is missing. */
export interface GrantProbe {
  /** Why no grant would count here, in a sentence; null if one would, or while nothing is known. Throws `StoreUnavailable`. */
  ask(): Promise<string | null>;
}

/**
 * Verifies the probe of approvals: a document that approvals signs with the key that signs grants, under a `typ` of its own, so no write accepts it as a
 * grant. Without one, because approvals is of an older version, the pins of the toolset's writes serve instead. A worker that has the keys of another
 * approvals, or cannot fetch them, verifies none.
 */
export function grantProbe({
  toolset,
  state,
  keys,
  monotonic,
}: {
  readonly toolset: Toolset;
  readonly state: Pick<StateStore, "read">;
  /** Public keys of the approvals service, as this worker has them. */
  readonly keys: KeySet;
  readonly monotonic: () => number;
}): GrantProbe {
  const probes = signedReader({ typ: "tb-probe+jwt", keys });
  const pinned = signedReader({ typ: "tb-pin+jwt", keys });
  let confirmed = false;
  let unknownSince: number | null = null;
  return {
    async ask() {
      const verdict = await look();
      if (verdict !== "unknown_key") {
        confirmed ||= verdict === "confirmed";
        unknownSince = null;
        return null;
      }
      unknownSince ??= monotonic();
      return confirmed && monotonic() - unknownSince < NEW_KEY_MS ? null : NO_KEYS;
    },
  };

  async function look(): Promise<"confirmed" | "unknown_key" | "nothing"> {
    const writes = toolset.list().filter(({ tool }) => tool.kind === "write");
    if (writes.length === 0) return "nothing";
    const pins = [...new Set(writes.map(({ definition }) => storeKeys.pin(definition.name)))];
    const names = [storeKeys.keyProbe(), ...pins];
    const { documents } = await state.read(names);
    const [probe, ...others] = documents.map((document, n) => ({ key: names[n] ?? "", value: document?.value }));
    const found = probe ? await judge(probes, [probe]) : "nothing";
    return found === "nothing" ? judge(pinned, others) : found;
  }

  /** A forged document says nothing about the keys. */
  async function judge(reader: typeof probes, documents: readonly { readonly key: string; readonly value: Json | undefined }[]) {
    const verdicts = await Promise.all(documents.flatMap(({ key, value }) => (value === undefined ? [] : [reader.read(key, value)])));
    if (verdicts.some(({ kind }) => kind === "genuine" || kind === "older")) return "confirmed";
    return verdicts.some(({ kind }) => kind === "unknown_key") ? "unknown_key" : "nothing";
  }
}

/**
 * How long a worker that could verify grants may need to learn of a new key: a set of keys is read again for an unknown one after a minute at the latest,
 * and a worker checks every 30 s.
 */
const NEW_KEY_MS = 75_000;

const NO_KEYS =
  "its worker cannot check grants: none of its public keys of approvals verifies what approvals signed. Give it those of this approvals (SERVICE_KEYS_FILE, JWKS_FILE or JWKS_URL), and check that it can reach JWKS_URL.";
