import { keys, parseRegistration, parseReplacedDefinition, type Registration, type RunTool } from "@toolbus/contracts";
import { hasToolHash } from "@toolbus/grants";
import type { StateStore, StoredDocument } from "@toolbus/state";

/** Finds definitions by their hash, because a run keeps the definitions that it began with, whatever is registered later. */
export interface Catalogue {
  /**
   * Returns the run's tools by name, with exactly the definitions that the run began with. Reads each definition from its registration. If the
   * registration is gone or has a newer definition, reads the copy that workers keep for 30 days. Expired definitions are absent.
   */
  toolsOf(tools: readonly RunTool[]): Promise<ReadonlyMap<string, Registration>>;
}

export function catalogue(state: StateStore): Catalogue {
  const byHash = new Map<string, Registration>();
  return {
    async toolsOf(tools) {
      const found = new Map(tools.map((tool) => [tool.hash, byHash.get(tool.hash)]));
      const missing = tools.filter((tool) => !found.get(tool.hash));
      if (missing.length > 0) {
        const wanted = missing.flatMap((tool) => [
          keys.registration(tool.toolset, tool.name, tool.version),
          keys.replacedDefinition(tool.toolset, tool.hash),
        ]);
        const { documents } = await state.read(wanted);
        for (const registration of documents.flatMap(definitionsIn)) {
          if (!found.has(registration.hash)) continue;
          found.set(registration.hash, registration);
          remember(registration);
        }
      }
      return new Map(
        tools.flatMap((tool) => {
          const registration = found.get(tool.hash);
          return registration ? [[tool.name, registration] as const] : [];
        }),
      );
    },
  };

  /** Remembers a definition and drops the oldest one. A run that still needs the dropped definition reads it again. */
  function remember(registration: Registration): void {
    const [oldest] = byHash.keys();
    if (byHash.size >= MAX_REMEMBERED && oldest !== undefined) byHash.delete(oldest);
    byHash.set(registration.hash, registration);
  }
}

const MAX_REMEMBERED = 1000;

/**
 * Returns the definition in a document. Ignores a definition with the wrong hash, because a run must get exactly the definition that it began with.
 */
function definitionsIn(document: StoredDocument | null): readonly Registration[] {
  if (!document) return [];
  const registration = parseRegistration(document.value);
  if (registration.ok) return hasToolHash(registration.value.definition, registration.value.hash) ? [registration.value] : [];
  const replaced = parseReplacedDefinition(document.value);
  if (!replaced.ok || !hasToolHash(replaced.value.definition, replaced.value.hash)) return [];
  const { replacedAt, ...rest } = replaced.value;
  return [{ ...rest, registeredAt: replacedAt, lastSeenAt: replacedAt }];
}
