import { keys as storeKeys, parsePin, type PublicJwk } from "@toolbus/contracts";
import { type KeySet, publicKeys, signedReader, unitedKeys } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";

/** Whose receipts and sending proofs count as a toolset's. */
export interface ReceiptKeys {
  /** For calls of this tool. Its `find` may throw `StoreUnavailable`. */
  of(call: { readonly toolset: string; readonly toolName: string; readonly toolHash: string }): KeySet;
}

export interface ReceiptKeysOptions {
  /** Keys that this process trusts by itself: its own, or those in an operator's file. They are tried first. */
  readonly known: (toolset: string) => KeySet;
  readonly state: Pick<StateStore, "read">;
  /** Public keys of the approvals service, which signs pins. */
  readonly approvals: KeySet;
  readonly monotonic: () => number;
}

/** The trusted keys, and those that approvals vouches for: it signed them with the tool's definition. A registration's own claim does not count. */
export function receiptKeys({ known, state, approvals, monotonic }: ReceiptKeysOptions): ReceiptKeys {
  const reader = signedReader({ typ: "tb-pin+jwt", keys: approvals });
  const read = new Map<string, { readonly keys: KeySet; readonly at: number }>();
  return {
    of: (call) => unitedKeys([known(call.toolset), pinned(call)]),
  };

  function pinned({ toolset, toolName, toolHash }: Parameters<ReceiptKeys["of"]>[0]): KeySet {
    const name = `${toolset}/${toolName}@${toolHash}`;
    return {
      async find(kid) {
        const found = read.get(name);
        const held = found && monotonic() - found.at < FRESH_MS ? await found.keys.find(kid) : null;
        // An unknown key may have been pinned a moment ago.
        if (held !== null) return held;
        const keys = publicKeys(await keysOfPins(toolset, toolName, toolHash));
        read.delete(name);
        read.set(name, { keys, at: monotonic() });
        const [oldest] = read.keys();
        if (read.size > MOST && oldest !== undefined) read.delete(oldest);
        return keys.find(kid);
      },
    };
  }

  /** Those of the tool's pin and of the pin of this exact definition: the key belongs to the toolset, whatever happened to the definition. */
  async function keysOfPins(toolset: string, tool: string, hash: string): Promise<readonly PublicJwk[]> {
    const pinKeys = [storeKeys.pin(tool), storeKeys.pinBeside(tool, hash)];
    const { documents } = await state.read(pinKeys);
    const found = await Promise.all(
      pinKeys.map(async (key, i) => {
        const value = documents[i]?.value;
        if (value === undefined || (await reader.read(key, value)).kind !== "genuine") return [];
        const pin = parsePin(value);
        return pin.ok && pin.value.toolset === toolset ? (pin.value.receiptKeys ?? []) : [];
      }),
    );
    return found.flat();
  }
}

/** How long a pin that was read is used: a withdrawn key counts for up to this long. */
const FRESH_MS = 10_000;
const MOST = 500;
