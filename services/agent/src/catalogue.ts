import { keys, parseRegistration, type Registration, type RunTool } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Definitions by hash: a run keeps the ones it began with, whatever is registered later. */
export interface Catalogue {
  /** The run's tools by name. One whose definition is gone or was replaced is absent. */
  toolsOf(tools: readonly RunTool[]): Promise<ReadonlyMap<string, Registration>>;
}

export function catalogue(state: StateStore): Catalogue {
  const byHash = new Map<string, Registration>();
  return {
    async toolsOf(tools) {
      const missing = tools.filter((tool) => !byHash.has(tool.hash));
      if (missing.length > 0) {
        const { documents } = await state.read(missing.map((tool) => keys.registration(tool.toolset, tool.name, tool.version)));
        for (const document of documents) {
          const registration = document && parseRegistration(document.value);
          if (registration?.ok) byHash.set(registration.value.hash, registration.value);
        }
      }
      return new Map(
        tools.flatMap((tool) => {
          const registration = byHash.get(tool.hash);
          return registration ? [[tool.name, registration] as const] : [];
        }),
      );
    },
  };
}
