import { checkArguments, type JsonObject, MAX_EXAMPLE_CHARS } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { Toolset } from "./toolset.ts";

/** Arguments with which tools work now, as JSON text, by the hash of the definition. */
export type Examples = ReadonlyMap<string, string>;

/**
 * Returns the examples that the toolset declares and that fit the schemas. If the toolset does not answer, there are no examples. This is not an
 * error, because an example only helps people.
 */
export async function examplesOf(toolset: Toolset, log: Pick<Log, "debug" | "warn">, signal: AbortSignal): Promise<Examples> {
  const declared: Readonly<Record<string, JsonObject>> = await toolset.examples(signal).catch((error: unknown) => {
    log.debug({ error, toolset: toolset.name }, "the toolset gave no examples of its calls");
    return {};
  });
  const examples = new Map<string, string>();
  for (const { definition, hash } of toolset.list()) {
    const args = Object.hasOwn(declared, definition.name) ? declared[definition.name] : undefined;
    if (args === undefined) continue;
    const text = JSON.stringify(args);
    const problem =
      text.length > MAX_EXAMPLE_CHARS ? `is longer than ${MAX_EXAMPLE_CHARS} characters` : checkArguments(definition, args)[0]?.message;
    if (problem === undefined) examples.set(hash, text);
    else
      log.warn(
        { toolset: toolset.name, tool: definition.name, version: definition.version },
        `The example of the tool is left out: it ${problem}.`,
      );
  }
  return examples;
}
