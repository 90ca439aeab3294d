import { parser, type Pin, PublicJwk, type Registration } from "@toolbus/contracts";
import type { TrustedKeys } from "@toolbus/grants";

/** The keys that verify the receipts of a toolset, and the source of these keys. */
export interface ReceiptKeys {
  readonly keys: NonNullable<Pin["receiptKeys"]>;
  readonly from: "service-keys" | "registration";
}

/**
 * Returns the keys of the toolset's worker in the file of trusted keys, if there are any. Otherwise returns the keys that the workers registered with
 * exactly this definition. Registered keys are read from the store, so an operator checks them first.
 */
export function receiptKeysOf(
  { toolset, hash }: Pick<Pin, "toolset" | "hash">,
  { registered, trusted }: { readonly registered: readonly Registration[]; readonly trusted: TrustedKeys },
): ReceiptKeys {
  const { keys: known = [] } = trusted.of(`worker.${toolset}`).jwks ?? {};
  const said = known.flatMap((key) => {
    const parsed = parseJwk(key);
    return parsed.ok && key.revoked !== true ? [parsed.value] : [];
  });
  if (said.length > 0) return { keys: said.slice(0, MOST), from: "service-keys" };
  const own = registered.filter((one) => one.toolset === toolset && one.hash === hash);
  return { keys: own.flatMap(({ receiptKey }) => (receiptKey ? [receiptKey] : [])).slice(0, MOST), from: "registration" };
}

/** Returns whether every key that is to be enabled is already pinned. */
export function arePinned({ keys }: ReceiptKeys, pin: Pick<Pin, "receiptKeys">): boolean {
  const pinned = new Set(pin.receiptKeys?.map(({ kid }) => kid));
  return keys.every(({ kid }) => pinned.has(kid));
}

const parseJwk = parser(PublicJwk);
const MOST = 8;
