import { atLeast, type Pin, preferredVersion, type Registration, type Tier, type ToolDefinition } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";

/** What happens to a write automatically: nothing, this definition is pinned, or it is left to an operator, for the reason given. */
export type PinVerdict =
  | { readonly kind: "keep" }
  | ({ readonly kind: "pin" } & Newest)
  | ({ readonly kind: "operator"; readonly reason: string } & Newest);

type Newest = Pick<Pin, "toolset" | "definition" | "hash">;

/**
 * Judges the registrations under one tool name against its pin. The first toolset to register owns the name, and keeps it; of its definitions the one
 * counts that new runs get (`preferredVersion`). A changed definition replaces the pinned one only if it is no less strict.
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
 * The other versions of a tool that are granted besides its pin, for the runs that began with them: registered by the pin's own toolset, and no less strict
 * than the pin. So a less strict version cannot be used to get around the pinned one.
 */
export function grantedBeside(pin: Pin, registered: readonly Registration[]): readonly Registration[] {
  return registered.filter(({ toolset, hash, definition }) => hash !== pin.hash && standsBeside(pin, { toolset, definition }));
}

/**
 * Judged again at every use: since then the pin may have been tightened, switched off or given to another toolset. A version newer than the pin is not
 * granted besides it: an operator who went back to the older one no longer wants it.
 */
export function standsBeside(pin: Pin, other: Pick<Pin, "toolset" | "definition">): boolean {
  const preferred = preferredVersion([other.definition, pin.definition], (definition) => definition);
  return (
    pin.enabled && other.toolset === pin.toolset && preferred === pin.definition && guardsLess(other.definition, pin.definition) === null
  );
}

/** The lowest tier of the calls of a pinned tool. */
export function pinnedTier({ definition, tier = definition.risk.tier }: Pick<Pin, "definition" | "tier">): Tier {
  return atLeast(tier, definition.risk.tier) ? tier : definition.risk.tier;
}

/** How this is less strict than the pinned definition, or takes its name away; null if neither. */
export function weakerThan(pin: Pin, other: Pick<Pin, "toolset" | "definition">): string | null {
  if (other.toolset !== pin.toolset) return `it belongs to the toolset "${other.toolset}", and the enabled one to "${pin.toolset}"`;
  return guardsLess(other.definition, pin.definition);
}

/**
 * How a definition is less strict than another: a lower tier, a risk rule that is gone or lower, a scope that is no longer asked for. Null if it is not.
 */
export function guardsLess(changed: ToolDefinition, pinned: ToolDefinition): string | null {
  if (!atLeast(changed.risk.tier, pinned.risk.tier)) return `its tier falls from ${pinned.risk.tier} to ${changed.risk.tier}`;
  for (const rule of pinned.risk.rules ?? []) {
    const when = canonicalJson(rule.when);
    const kept = (changed.risk.rules ?? []).some((other) => canonicalJson(other.when) === when && atLeast(other.tier, rule.tier));
    if (!kept && !atLeast(changed.risk.tier, rule.tier)) return `its rule "${rule.reason}" is gone or lower`;
  }
  const gone = (pinned.scopes ?? []).find((scope) => !(changed.scopes ?? []).includes(scope));
  return gone === undefined ? null : `it no longer asks for the scope "${gone}"`;
}

/** Why this definition gets no grant, in words for the model; null if it is the pinned one. `toolset` and `tier` are left out if nobody claims one. */
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
    return `The definition of "${toolName}" is not the one that is enabled (version ${pin.definition.version}). A new run sees the enabled one.`;
  if (tier !== undefined && pin.tier !== undefined && !atLeast(tier, pin.tier))
    return `The write "${toolName}" now needs the approval of the tier "${pin.tier}". A new run can ask for it.`;
  return null;
}
