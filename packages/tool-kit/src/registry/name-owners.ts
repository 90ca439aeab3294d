import { type Json, keys, parsePin, type Registration } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** The stored pins of names, by the name of the tool. A name without a pin may be absent. Anybody may have written what is stored. */
export type StoredPins = ReadonlyMap<string, { readonly value: Json | null }>;

/**
 * Knows which toolset a tool's name belongs to. A worker's login may write every registration of its own toolset, and no server can see which names these
 * registrations have. Without this check, a compromised worker could offer a tool under the name of another toolset's write.
 */
export interface NameOwners {
  /**
   * Returns the registrations that may be used, and logs the others. If all may be used, returns the same list. `pins` are those that were read together with
   * this list.
   */
  admit(registrations: readonly Registration[], pins: StoredPins): Promise<readonly Registration[]>;
  /** Reads the pins of these registrations. Returns the reason, as a sentence, for each one that may not be used. Throws `StoreUnavailable`. */
  strangers(state: Pick<StateStore, "read">, registrations: readonly Registration[]): Promise<ReadonlyMap<Registration, string>>;
}

/**
 * A name with a genuine pin belongs to the pin's toolset, whatever kind of tool others register under it. A name without a pin that several toolsets register
 * belongs to none of them, because nothing proves whose it is. `registerToolset` allows no such name, so no honest worker causes this for long.
 */
export function nameOwners({ approvals, log }: { readonly approvals: KeySet; readonly log: Pick<Log, "error"> }): NameOwners {
  const ownerOf = pinReader(approvals);
  // What is derived from a list is found by the list, so the same list is returned while nothing changes. A read with other pins gives another list.
  const before = new WeakMap<readonly Registration[], readonly Registration[]>();
  const told = new Set<string>();
  return {
    async admit(registrations, pins) {
      const known = before.get(registrations);
      if (known) return known;
      const strangers = await strangersAmong(registrations, pins, ownerOf);
      for (const [one, why] of strangers) tell(one, why);
      const admitted = strangers.size === 0 ? registrations : registrations.filter((one) => !strangers.has(one));
      before.set(registrations, admitted);
      return admitted;
    },
    async strangers(state, registrations) {
      const names = [...new Set(registrations.map(({ definition }) => definition.name))];
      const { documents } = names.length === 0 ? { documents: [] } : await state.read(names.map((name) => keys.pin(name)));
      const pins = new Map(names.map((name, n) => [name, { value: documents[n]?.value ?? null }]));
      return strangersAmong(registrations, pins, ownerOf);
    },
  };

  function tell({ toolset, definition: { name: tool, version } }: Registration, why: string): void {
    const line = `${toolset}/${tool}@${version} ${why}`;
    if (told.has(line) || told.size >= MOST_TOLD) return;
    told.add(line);
    log.error({ toolset, tool, version }, `${why} The registration is left out. Check who has the login of "${toolset}".`);
  }
}

const MOST_TOLD = 1000;
const MOST_PINS = 5000;

/** Returns the toolset that a name belongs to, or null if no genuine pin says so. */
type OwnerOf = (name: string, pin: Json) => Promise<string | null>;

function pinReader(approvals: KeySet): OwnerOf {
  const reader = signedReader({ typ: "tb-pin+jwt", keys: approvals, most: MOST_PINS });
  return async (name, value) => {
    if ((await reader.read(keys.pin(name), value)).kind !== "genuine") return null;
    const pin = parsePin(value);
    return pin.ok ? pin.value.toolset : null;
  };
}

async function strangersAmong(
  registrations: readonly Registration[],
  pins: StoredPins,
  ownerOf: OwnerOf,
): Promise<ReadonlyMap<Registration, string>> {
  const strange = new Map<Registration, string>();
  for (const [name, claimed] of Map.groupBy(registrations, ({ definition }) => definition.name)) {
    const pin = pins.get(name)?.value ?? null;
    const owner = pin === null ? null : await ownerOf(name, pin);
    const toolsets = new Set(claimed.map(({ toolset }) => toolset));
    for (const one of claimed) {
      if (owner === null ? toolsets.size > 1 : owner !== one.toolset) strange.set(one, reasonFor(one, owner, [...toolsets]));
    }
  }
  return strange;
}

function reasonFor({ toolset, definition: { name } }: Registration, owner: string | null, toolsets: readonly string[]): string {
  return owner === null
    ? `The name "${name}" is registered by several toolsets (${toolsets.toSorted().join(", ")}), and no pin says whose it is.`
    : `The toolset "${toolset}" registers "${name}", but this name is pinned for the toolset "${owner}".`;
}
