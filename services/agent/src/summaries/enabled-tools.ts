import { definitionFault, type Json, keys, MCP_TOOLSET, mcpServerOf, parsePin, type Registration, serviceIdOf } from "@toolbus/contracts";
import { type KeySet, signedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";

/**
 * Returns the tools of each MCP server that an operator has enabled, by the id of the service. A write counts if its enabled pin is genuine and has
 * this hash. A read counts, because the bridge registers a read only with the fingerprint that the operator has set. A server without enabled tools
 * has an empty list.
 */
export async function enabledTools(
  { state, approvals }: { readonly state: Pick<StateStore, "read">; readonly approvals: KeySet },
  registrations: readonly Registration[],
): Promise<ReadonlyMap<string, readonly Registration[]>> {
  const reader = signedReader({ typ: "tb-pin+jwt", keys: approvals });
  const foreign = registrations.filter(({ toolset, definition }) => toolset === MCP_TOOLSET && mcpServerOf(definition) !== undefined);
  const pinKeys = foreign.map(({ definition }) => keys.pin(definition.name));
  const documents = pinKeys.length === 0 ? [] : (await state.read(pinKeys)).documents;
  const found = new Map<string, Registration[]>();
  for (const [n, one] of foreign.entries()) {
    const own = found.get(serviceIdOf(one)) ?? [];
    found.set(serviceIdOf(one), own);
    if (definitionFault(one.definition) !== null) continue;
    if (one.definition.kind !== "write" || (await isPinned(one, pinKeys[n] ?? "", documents[n]?.value))) own.push(one);
  }
  return found;

  async function isPinned({ toolset, hash }: Registration, key: string, value: Json | undefined): Promise<boolean> {
    if (value === undefined || (await reader.read(key, value)).kind !== "genuine") return false;
    const pin = parsePin(value);
    return pin.ok && pin.value.enabled && pin.value.toolset === toolset && pin.value.hash === hash;
  }
}
