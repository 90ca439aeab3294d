import { type Guide, keys, parseGuide } from "@toolbus/contracts";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { toolsetGuide } from "../tool/toolset-guide.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { Put } from "./registration.ts";

/**
 * Returns the guides of these toolsets, in their order. A toolset without a guide is left out. A guide that cannot be read, or that has another form
 * than `toolset` accepts, is left out and logged, because its worker may have written it without these checks.
 */
export async function readGuides(state: Pick<StateStore, "read">, toolsets: readonly string[], log?: Log): Promise<readonly Guide[]> {
  if (toolsets.length === 0) return [];
  const { documents } = await state.read(toolsets.map(keys.guide));
  return toolsets.flatMap((toolset, i) => {
    const value = documents[i]?.value;
    if (value === undefined) return [];
    const parsed = parseGuide(value);
    if (parsed.ok && isSound(parsed.value, toolset)) return [parsed.value];
    log?.warn({ toolset }, "the guide of a toolset cannot be read and is left out");
    return [];
  });
}

/** Returns the change that makes the stored guide the one of the toolset. It is empty if the stored guide is the same. */
export function guideChange(
  { name, guide }: Pick<Toolset, "name" | "guide">,
  stored: StoredDocument | null,
  now: number,
): { readonly put: readonly Put[]; readonly remove: readonly string[] } {
  const key = keys.guide(name);
  if (guide === null) return { put: [], remove: stored ? [key] : [] };
  const known = stored ? parseGuide(stored.value) : null;
  if (known?.ok && known.value.hash === guide.hash) return { put: [], remove: [] };
  return { put: [{ key, value: { toolset: name, ...guide, registeredAt: now } satisfies Guide }], remove: [] };
}

function isSound({ toolset, summary, markdown, hash }: Guide, owner: string): boolean {
  if (toolset !== owner) return false;
  try {
    const read = toolsetGuide(owner, markdown);
    return read.summary === summary && read.hash === hash;
  } catch {
    return false;
  }
}
