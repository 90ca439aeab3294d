import {
  definitionFault,
  definitionWarnings,
  type EnabledSummary,
  type Pin,
  preferredVersion,
  type RegisteredWrite,
  type Registration,
  type WriteState,
} from "@toolbus/contracts";
import type { TrustedKeys } from "@toolbus/grants";
import { definitionChanges } from "./definition-changes.ts";
import { pinnedTier, standsBeside, weakerThan } from "./pin-rules.ts";
import type { StoredPin } from "./pin-store.ts";
import { arePinned, receiptKeysOf } from "./receipt-keys.ts";

/** Everything that approvals knows about one write. */
export interface Standing {
  readonly main: StoredPin;
  /** The pins beside the tool's pin, in the order of `registered`. */
  readonly besides: readonly StoredPin[];
  readonly registered: readonly Registration[];
  readonly trusted: TrustedKeys;
}

/** The text that replaces the comparison with a pin that cannot be read. */
export const UNKNOWN_GUARDS = "the enabled definition is not what approvals stored, so nobody can tell what it asked for";

/** Returns the registrations of a write, each with the facts that an operator has to know before enabling it. */
export function registeredOf({ main, besides, registered, trusted }: Standing): readonly RegisteredWrite[] {
  const { pin } = main;
  return registered.map((one, n) => {
    const { toolset, definition, hash, registeredAt, lastSeenAt } = one;
    const receipts = receiptKeysOf(one, { registered, trusted });
    const beside = besides[n]?.pin ?? null;
    const standing = pin && beside && beside.hash === hash && standsBeside(pin, beside);
    const own = pin?.hash === hash && pin.toolset === toolset;
    const quarantined = definitionFault(definition);
    const warnings = definitionWarnings(definition);
    return {
      tool: definition.name,
      toolset,
      version: definition.version,
      hash,
      tier: definition.risk.tier,
      state: stateOf(one, main, own && pin ? arePinned(receipts, pin) : false),
      granted: quarantined === null && ((own && pin?.enabled === true) || standing === true),
      ...(quarantined === null ? {} : { quarantined: { pointer: quarantined.pointer, reason: quarantined.reason } }),
      weaker: main.fault !== null ? UNKNOWN_GUARDS : pin ? weakerThan(pin, one) : null,
      receiptKeys: receipts.keys.map(({ kid }) => kid),
      receiptKeysFrom: receipts.from,
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
      registeredAt,
      lastSeenAt,
      definition,
      changes: pin ? [...definitionChanges(pin.definition, definition)] : [],
    };
  });
}

/** Returns the enabled state without the definition. */
export function enabledSummary(pin: Pin): EnabledSummary {
  const { toolset, definition, hash, enabled, pinnedAt, pinnedBy, receiptKeys = [] } = pin;
  const kids = receiptKeys.map(({ kid }) => kid);
  return { toolset, version: definition.version, hash, tier: pinnedTier(pin), enabled, pinnedAt, pinnedBy, receiptKeys: kids };
}

function stateOf({ toolset, definition, hash }: Registration, { pin, fault }: StoredPin, keysPinned: boolean): WriteState {
  if (fault !== null) return "damaged";
  if (!pin) return "pending";
  if (!pin.enabled) return "disabled";
  if (toolset !== pin.toolset) return "changed";
  if (hash === pin.hash) return keysPinned ? "enabled" : "changed";
  if (definition.version === pin.definition.version) return "changed";
  return preferredVersion([definition, pin.definition], (one) => one) === pin.definition ? "superseded" : "changed";
}
