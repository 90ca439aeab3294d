import { isForeign, type JsonObject, PROTECTION_MEMBER, type RunRecord, type ToolDefinition } from "@toolbus/contracts";
import { stringify } from "yaml";

/**
 * Returns the definitions of the tools that the run was offered, in the form of the tools file of a suite. Leaves out the tools that `known` names, and
 * fields that mean nothing without the worker, such as the scopes and the dependencies.
 */
export function toolsOfRecord({ tools }: Pick<RunRecord, "tools">, known: ReadonlySet<string>): readonly JsonObject[] {
  const newest = new Map(tools.map(({ definition }) => [definition.name, definition]));
  return [...newest.values()].filter(({ name }) => !known.has(name)).map(entryOf);
}

function entryOf(definition: ToolDefinition): JsonObject {
  const { name, version, kind, description, parameters, risk, idempotency, effect, trust } = definition;
  const { [PROTECTION_MEMBER]: _, ...schema } = parameters as JsonObject;
  const trusted = trust ?? (isForeign(definition) ? "untrusted" : undefined);
  const entry = {
    name,
    version,
    kind,
    description,
    parameters: schema,
    risk,
    ...(kind === "write" ? { idempotency, effect } : {}),
    ...(trusted === undefined ? {} : { trust: trusted }),
  };
  return JSON.parse(JSON.stringify(entry)) as JsonObject;
}

/** Returns the text of a YAML list with these definitions at its end. The text that is there keeps its form and its comments. */
export function withTools(text: string, tools: readonly JsonObject[]): string {
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  return `${text}${gap}${stringify(tools, { lineWidth: 120 })}`;
}
