import { atLeast, type Pin, preferredVersion, type Registration, type ToolDefinition } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";

/** What first sight does with a write: nothing, pin it, or leave it to an operator, for the reason given. */
export type PinVerdict =
  | { readonly kind: "keep" }
  | { readonly kind: "pin"; readonly toolset: string; readonly definition: ToolDefinition; readonly hash: string }
  | { readonly kind: "operator"; readonly reason: string };

/**
 * Judges what is registered under one tool name against its pin. The first toolset to register owns the name, and keeps it; of its definitions the one
 * counts that new runs get (`preferredVersion`). A changed definition replaces the pinned one only when it guards no less.
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
  return loss === null ? { kind: "pin", toolset, definition, hash } : { kind: "operator", reason: loss };
}

/**
 * The other versions of a tool that are granted beside its pin, for the runs that began with them: registered by the pin's own toolset, and
 * guarding no less than the pin. So a version with weaker guards than the pinned one is no way round it.
 */
export function grantedBeside(pin: Pin, registered: readonly Registration[]): readonly Registration[] {
  return registered.filter(({ toolset, hash, definition }) => hash !== pin.hash && standsBeside(pin, { toolset, definition }));
}

/** Judged again at every use: the pin may have been tightened, switched off or handed on since. */
export function standsBeside(pin: Pin, other: Pick<Pin, "toolset" | "definition">): boolean {
  return pin.enabled && other.toolset === pin.toolset && guardsLess(other.definition, pin.definition) === null;
}

/**
 * How a definition guards less than another: a lower tier, a risk rule that is gone or lower, a scope that is no longer asked for. Null when it does not.
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

/** Why this definition gets no grant, in words for the model; null when it is the pinned one. `toolset` is left out where nobody claims one. */
export function pinFault(
  pin: Pin | null,
  asked: { readonly toolName: string; readonly toolHash: string; readonly toolset?: string },
): string | null {
  const { toolName, toolHash, toolset } = asked;
  if (!pin) return `The write "${toolName}" is not enabled: an operator has to pin it first. Do not ask again; go on without it.`;
  if (!pin.enabled) return `The write "${toolName}" is switched off by an operator. Go on without it.`;
  if (toolset !== undefined && toolset !== pin.toolset)
    return `The write "${toolName}" belongs to the toolset "${pin.toolset}" now. A new run can ask for it.`;
  if (toolHash !== pin.hash)
    return `The definition of "${toolName}" is not the one that is enabled (version ${pin.definition.version}). A new run sees the enabled one.`;
  return null;
}
