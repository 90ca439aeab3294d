import { atLeast, type Pin, preferredVersion, type Registration, type Tier, type ToolDefinition } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";

/** What approvals does about a write automatically: it changes nothing, pins this definition, or leaves it to an operator for the given reason. */
export type PinVerdict =
  | { readonly kind: "keep" }
  | ({ readonly kind: "pin" } & Newest)
  | ({ readonly kind: "operator"; readonly reason: string } & Newest);

type Newest = Pick<Pin, "toolset" | "definition" | "hash">;

/**
 * Judges the registrations under one tool name against its pin. The first toolset that registers a name owns the name from then on. The verdict is
 * about the owner's definition that new runs get (`preferredVersion`). A changed definition replaces the pinned one only if it is no less strict.
 */
export function pinVerdict(pin: Pin | null, registered: readonly Registration[]): PinVerdict {
  const inOrder = registered.toSorted((a, b) => a.registeredAt - b.registeredAt);
  const owner = pin?.toolset ?? inOrder[0]?.toolset;
  const owned = inOrder.filter(({ toolset }) => toolset === owner);
  const newest = preferredVersion(owned, ({ definition }) => definition);
  if (!newest) return { kind: "keep" };
  const { toolset, definition, hash } = newest;
  if (pin?.hash === hash) return { kind: "keep" };
  if (!pin) return { kind: "pin", toolset, definition, hash };
  const loss = guardsLess(definition, pin.definition);
  return loss === null ? { kind: "pin", toolset, definition, hash } : { kind: "operator", reason: loss, toolset, definition, hash };
}

/**
 * Returns the other versions of a tool that approvals grants beside its pin, for the runs that began with them. The pin's own toolset registered
 * these versions, and they are no less strict than the pin. So nobody can use a less strict version to get around the pin.
 */
export function grantedBeside(pin: Pin, registered: readonly Registration[]): readonly Registration[] {
  return registered.filter(({ toolset, hash, definition }) => hash !== pin.hash && standsBeside(pin, { toolset, definition }));
}

/**
 * Returns whether a definition may be granted beside the pin. Approvals checks this at every use, because the pin may have been tightened, switched
 * off or given to another toolset since. A version newer than the pin is not granted beside it, because an operator who went back to the older
 * version no longer wants the newer one.
 */
export function standsBeside(pin: Pin, other: Pick<Pin, "toolset" | "definition">): boolean {
  const preferred = preferredVersion([other.definition, pin.definition], (definition) => definition);
  return (
    pin.enabled && other.toolset === pin.toolset && preferred === pin.definition && guardsLess(other.definition, pin.definition) === null
  );
}

/** Returns the lowest tier that a call of a pinned tool can have. */
export function pinnedTier({ definition, tier = definition.risk.tier }: Pick<Pin, "definition" | "tier">): Tier {
  return atLeast(tier, definition.risk.tier) ? tier : definition.risk.tier;
}

/** Returns how a definition is less strict than the pinned one, or that it belongs to another toolset. Returns null if neither is the case. */
export function weakerThan(pin: Pin, other: Pick<Pin, "toolset" | "definition">): string | null {
  if (other.toolset !== pin.toolset) return `it belongs to the toolset "${other.toolset}", and the enabled one to "${pin.toolset}"`;
  return guardsLess(other.definition, pin.definition);
}

/**
 * Returns how a definition is less strict than another: it has a lower tier, it removes or lowers a risk rule, it no longer offers a plan, or it no
 * longer asks for a scope. Returns null if it is not less strict.
 */
export function guardsLess(changed: ToolDefinition, pinned: ToolDefinition): string | null {
  if (!atLeast(changed.risk.tier, pinned.risk.tier)) return `its tier falls from ${pinned.risk.tier} to ${changed.risk.tier}`;
  for (const rule of pinned.risk.rules ?? []) {
    const when = canonicalJson(rule.when);
    const kept = (changed.risk.rules ?? []).some((other) => canonicalJson(other.when) === when && atLeast(other.tier, rule.tier));
    if (!kept && !atLeast(changed.risk.tier, rule.tier)) return `its rule "${rule.reason}" is gone or lower`;
  }
  if (pinned.plan && !changed.plan) return "it no longer offers a plan of what it will change";
  const gone = (pinned.scopes ?? []).find((scope) => !(changed.scopes ?? []).includes(scope));
  return gone === undefined ? null : `it no longer asks for the scope "${gone}"`;
}

/**
 * Returns why this definition gets no grant, in words for the model, or null if it gets one. An agent's request names no `toolset` and no `tier`, so
 * only the values of a stored approval are compared.
 */
export function pinFault(
  pin: Pin | null,
  asked: { readonly toolName: string; readonly toolHash: string; readonly toolset?: string; readonly tier?: Tier },
): string | null {
  const { toolName, toolHash, toolset, tier } = asked;
  if (!pin) return `The write "${toolName}" is not enabled: an operator has to enable it first. Do not ask again; continue without it.`;
  if (!pin.enabled) return `The write "${toolName}" is switched off by an operator. Continue without it.`;
  if (toolset !== undefined && toolset !== pin.toolset)
    return `The write "${toolName}" now belongs to the toolset "${pin.toolset}". A new run can ask for it.`;
  if (toolHash !== pin.hash)
    return `The definition of "${toolName}" is not the one that is enabled (version ${pin.definition.version}). If workers serve the enabled one, a new run gets it. Otherwise an operator has to enable this one.`;
  if (tier !== undefined && pin.tier !== undefined && !atLeast(tier, pin.tier))
    return `The write "${toolName}" now needs the approval of the tier "${pin.tier}". A new run can ask for it.`;
  return null;
}
