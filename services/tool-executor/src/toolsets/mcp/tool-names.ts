import { createHash } from "node:crypto";
import { serverPart, snakeCase } from "@toolbus/contracts";

/** The maximum length of a tool's name, as in every definition. */
const LONGEST = 64;

/**
 * Returns the name under which a server's tool is registered: `<server>__<tool>` in snake case. A name longer than 64 characters is truncated and
 * ends with eight digits of its own hash, so that two long names remain different. The mapping is fixed, so the same input always gives the same
 * name.
 */
export function typedName(server: string, tool: string): string {
  const whole = `${serverPart(server)}__${snakeCase(tool) || "tool"}`;
  if (whole.length <= LONGEST) return whole;
  const digits = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, 8);
  return `${whole.slice(0, LONGEST - 9).replace(/_+$/, "")}_${digits}`;
}

/** Returns the tools of a server by typed name. The `refused` tools cannot be distinguished, because their typed names are the same. */
export function mapNames(
  server: string,
  tools: readonly string[],
): { readonly named: ReadonlyMap<string, string>; readonly refused: readonly (readonly [typed: string, originals: readonly string[]])[] } {
  const groups = Map.groupBy(tools, (tool) => typedName(server, tool));
  const all = [...groups];
  return {
    named: new Map(all.flatMap(([typed, originals]) => (originals.length === 1 ? [[typed, originals[0] ?? ""] as const] : []))),
    refused: all.filter(([, originals]) => originals.length > 1),
  };
}
