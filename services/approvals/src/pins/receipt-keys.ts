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
  const said = listedKeys(toolset, trusted);
  if (said.length > 0) return { keys: said.slice(0, MOST), from: "service-keys" };
  const own = registered.filter((one) => one.toolset === toolset && one.hash === hash);
  return { keys: own.flatMap(({ receiptKey }) => (receiptKey ? [receiptKey] : [])).slice(0, MOST), from: "registration" };
}

/** Returns whether every key that is to be enabled is already pinned. */
export function arePinned({ keys }: ReceiptKeys, pin: Pick<Pin, "receiptKeys">): boolean {
  const pinned = new Set(pin.receiptKeys?.map(({ kid }) => kid));
  return keys.every(({ kid }) => pinned.has(kid));
}

/**
 * Returns why nobody could learn the outcome of a write of this pin, in words for the model, or null. The agent accepts an answer only if a pinned key
 * or a key of `worker.<toolset>` in the file of trusted keys signed it. So a write must not run if its worker registered only with other keys. A pin
 * without a registered worker has no fault, because a worker may still start.
 */
export function answerFault(
  { toolset, hash, definition, receiptKeys = [] }: Pin,
  { registered, trusted }: { readonly registered: readonly Registration[]; readonly trusted: TrustedKeys },
): string | null {
  const accepted = new Set([...receiptKeys, ...listedKeys(toolset, trusted)].map(({ kid }) => kid));
  const signing = registered.flatMap((one) =>
    one.definition.name === definition.name && one.toolset === toolset && one.hash === hash && one.receiptKey ? [one.receiptKey.kid] : [],
  );
  if (signing.length === 0 || signing.some((kid) => accepted.has(kid))) return null;
  return `The worker of "${definition.name}" signs its answers with a key that is not enabled, so nobody could learn whether the write happened: an operator has to enable the write again, or correct RECEIPT_KEY_FILE of the worker. Do not ask again; continue without it.`;
}

/** Returns the keys of the toolset's worker in the file of trusted keys. */
function listedKeys(toolset: string, trusted: TrustedKeys): readonly PublicJwk[] {
  const { keys = [] } = trusted.of(`worker.${toolset}`).jwks ?? {};
  return keys.flatMap((key) => {
    const parsed = parseJwk(key);
    return parsed.ok && key.revoked !== true ? [parsed.value] : [];
  });
}

const parseJwk = parser(PublicJwk);
const MOST = 8;
