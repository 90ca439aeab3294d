import { keys as storeKeys, parsePin, type PublicJwk } from "@toolbus/contracts";
import { type KeySet, publicKeys, signedReader, unitedKeys } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";

/** The keys whose receipts and sending proofs are accepted for a toolset. */
export interface ReceiptKeys {
  /** Returns the keys for calls of this tool. The `find` of this set may throw `StoreUnavailable`. */
  of(call: { readonly toolset: string; readonly toolName: string; readonly toolHash: string }): KeySet;
}

export interface ReceiptKeysOptions {
  /** Returns the keys that this process trusts without a pin: its own keys, or those in an operator's file. They are tried first. */
  readonly known: (toolset: string) => KeySet;
  readonly state: Pick<StateStore, "read">;
  /** The public keys of the approvals service, which signs pins. */
  readonly approvals: KeySet;
  readonly monotonic: () => number;
}

/**
 * Returns the trusted keys, and the keys that approvals signed together with the tool's definition. A key that only a registration names is not
 * accepted.
 */
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
        // An unknown key may have been pinned a moment ago, so the pins are read again.
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

  /**
   * Returns the keys in the tool's pin and in the pin of this exact definition. A key belongs to the toolset, so it is accepted even if the
   * definition has changed.
   */
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

/** The time for which a pin is used after it was read. A withdrawn key is accepted for up to this time. */
const FRESH_MS = 10_000;
const MOST = 500;
