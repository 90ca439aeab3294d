import { type Json, keys as storeKeys } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Toolset } from "../tool/toolset.ts";

/** Checks whether this worker can verify grants of approvals, before a write is refused because a key is missing. */
export interface GrantProbe {
  /**
   * Returns a sentence that says why this worker cannot accept any grant. Returns null if it can, or if nothing is known yet. Throws
   * `StoreUnavailable`.
   */
  ask(): Promise<string | null>;
}

/**
 * Verifies the probe of approvals. This is a document that approvals signs with the key that signs grants. It has its own `typ`, so no write accepts
 * it as a grant. An older version of approvals has no probe, and then the pins of the toolset's writes are used instead. A worker can verify neither
 * the probe nor a pin if it has the keys of another approvals service, or cannot fetch the keys.
 */
export function grantProbe({
  toolset,
  state,
  keys,
  monotonic,
}: {
  readonly toolset: Toolset;
  readonly state: Pick<StateStore, "read">;
  /** The public keys of the approvals service, as this worker has them. */
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

  /** Judges whether these documents confirm the keys. A forged document says nothing about the keys. */
  async function judge(reader: typeof probes, documents: readonly { readonly key: string; readonly value: Json | undefined }[]) {
    const verdicts = await Promise.all(documents.flatMap(({ key, value }) => (value === undefined ? [] : [reader.read(key, value)])));
    if (verdicts.some(({ kind }) => kind === "genuine" || kind === "older")) return "confirmed";
    return verdicts.some(({ kind }) => kind === "unknown_key") ? "unknown_key" : "nothing";
  }
}

/**
 * The time in which a worker that could verify grants must learn of a new key. A key set is read again for an unknown key within a minute, and a
 * worker checks every 30 s.
 */
const NEW_KEY_MS = 75_000;

const NO_KEYS =
  "its worker cannot check grants: it has no public key of approvals that verifies what approvals signed. If approvals has just started, wait a few seconds. Otherwise give the worker the keys of this approvals (SERVICE_KEYS_FILE, JWKS_FILE or JWKS_URL), and check that it can reach JWKS_URL.";
