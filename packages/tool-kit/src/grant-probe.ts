import { keys as storeKeys } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Toolset } from "./toolset.ts";

/** Checks whether grants of approvals can be verified here, before a write is refused because a key is missing. */
export interface GrantProbe {
  /** Why no grant would count here, in a sentence; null if one would, or while nothing is known. Throws `StoreUnavailable`. */
  ask(): Promise<string | null>;
}

/**
 * The probe is a pin of a write of the toolset: approvals signs it with the key that signs grants, under its own `typ`, so no write accepts it as a grant.
 * A worker that has the keys of another approvals, or cannot fetch them, verifies none.
 */
export function grantProbe({
  toolset,
  state,
  keys,
}: {
  readonly toolset: Toolset;
  readonly state: Pick<StateStore, "read">;
  /** Public keys of the approvals service, as this worker has them. */
  readonly keys: KeySet;
}): GrantProbe {
  const reader = signedReader({ typ: "tb-pin+jwt", keys });
  return {
    async ask() {
      const writes = toolset.list().filter(({ tool }) => tool.kind === "write");
      const pins = [...new Set(writes.map(({ definition }) => storeKeys.pin(definition.name)))];
      if (pins.length === 0) return null;
      const { documents } = await state.read(pins);
      const verdicts = await Promise.all(
        pins.flatMap((pin, n) => {
          const value = documents[n]?.value;
          return value === undefined ? [] : [reader.read(pin, value)];
        }),
      );
      // A forged pin says nothing about the keys.
      const known = verdicts.some(({ kind }) => kind === "genuine" || kind === "older");
      return known || !verdicts.some(({ kind }) => kind === "unknown_key") ? null : NO_KEYS;
    },
  };
}

const NO_KEYS =
  "its worker cannot check grants: none of its public keys of approvals verifies what approvals signed. Give it those of this approvals (SERVICE_KEYS_FILE, JWKS_FILE or JWKS_URL), and check that it can reach JWKS_URL.";
