import { checkArguments, type JsonObject, type Parsed, type ToolDefinition } from "@toolbus/contracts";
import { argumentsHash, canonicalJson, parseCanonicalArguments } from "@toolbus/grants";

/** Arguments with which the tool may run, and their hash, which a grant contains. */
export interface CheckedArguments {
  readonly value: JsonObject;
  readonly hash: string;
}

/**
 * Reads the arguments of a call. They must be canonical JSON text that satisfies the schema and already contains every default. Text without a
 * default is refused, because the tool must run with exactly the arguments that were approved. Only calls that nobody approves may receive defaults
 * here (`"applied"`). Such a call is a read of a run that began before a parameter with a default was added.
 */
export function readArguments(
  definition: ToolDefinition,
  text: string,
  defaults: "present" | "applied" = "present",
): Parsed<CheckedArguments> {
  const parsed = parseCanonicalArguments(text);
  if (!parsed.ok) return parsed;
  const problems = checkArguments(definition, parsed.value);
  if (problems.length > 0) return { ok: false, problems };
  // The check applies defaults in place.
  if (defaults === "present" && canonicalJson(parsed.value) !== text)
    return { ok: false, problems: [{ path: "", message: "lacks defaults of the tool's schema; send them in full" }] };
  return { ok: true, value: { value: parsed.value, hash: argumentsHash(text) } };
}
