import { keys, parseRegistration, parseReplacedDefinition, type Registration, type RunTool } from "@toolbus/contracts";
import { hasToolHash } from "@toolbus/grants";
import type { StateStore, StoredDocument } from "@toolbus/state";

/** Definitions by hash: a run keeps the ones it began with, whatever is registered later. */
export interface Catalogue {
  /**
   * The run's tools by name, with the very definitions that it began with: read from the registration, or, if that now holds another one or is gone, from
   * the copy that its workers kept (30 days). Expired definitions are absent.
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

  /** The oldest is dropped first; a run that still needs it reads it again. */
  function remember(registration: Registration): void {
    const [oldest] = byHash.keys();
    if (byHash.size >= MAX_REMEMBERED && oldest !== undefined) byHash.delete(oldest);
    byHash.set(registration.hash, registration);
  }
}

const MAX_REMEMBERED = 1000;

/** The definition that a document holds. A definition with the wrong hash is ignored: a run was promised exactly what it began with. */
function definitionsIn(document: StoredDocument | null): readonly Registration[] {
  if (!document) return [];
  const registration = parseRegistration(document.value);
  if (registration.ok) return hasToolHash(registration.value.definition, registration.value.hash) ? [registration.value] : [];
  const replaced = parseReplacedDefinition(document.value);
  if (!replaced.ok || !hasToolHash(replaced.value.definition, replaced.value.hash)) return [];
  const { replacedAt, ...rest } = replaced.value;
  return [{ ...rest, registeredAt: replacedAt, lastSeenAt: replacedAt }];
}
