import { mcpServerOf } from "./mcp-tools.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Returns the id of the service that offers a tool: `mcp:<server>` for an MCP server, else `toolset:<name>`. */
export function serviceIdOf({
  toolset,
  definition,
}: {
  readonly toolset: string;
  readonly definition: Pick<ToolDefinition, "source">;
}): string {
  return mcpServerOf(definition) === undefined ? `toolset:${toolset}` : definition.source;
}

/**
 * Finds a service by its id or by the name in it. Case does not matter. An MCP server precedes a toolset of the same name. If there is no such id,
 * the one service counts whose id differs only in its separators, such as `my_server` for `My Server`.
 */
export function findService<S extends { readonly id: string }>(services: readonly S[], name: string): S | undefined {
  const wanted = name.trim().toLowerCase();
  const ids = [wanted, `mcp:${wanted}`, `toolset:${wanted}`];
  const exact = ids.map((id) => services.find((one) => one.id.toLowerCase() === id)).find((one) => one !== undefined);
  if (exact) return exact;
  const plain = plainName(wanted);
  for (const kind of ["", "mcp", "toolset"]) {
    const [only, ...others] = services.filter(({ id }) => plain !== "" && plainName(id) === kind + plain);
    if (only && others.length === 0) return only;
  }
  return undefined;
}

/**
 * Finds a tool by its registered name, or by the part after the name of its server. Case does not matter. If there is no such name, the one tool
 * counts whose name differs only in its separators, such as `getSum` or `get-sum` for `get_sum`.
 */
export function findTool<T extends { readonly definition: Pick<ToolDefinition, "name"> }>(
  { tools }: { readonly tools: readonly T[] },
  name: string,
): T | undefined {
  const wanted = name.trim().toLowerCase().replaceAll("-", "_");
  const exact =
    tools.find(({ definition }) => definition.name === wanted) ?? tools.find(({ definition }) => definition.name.endsWith(`__${wanted}`));
  if (exact) return exact;
  const plain = plainName(wanted);
  const [only, ...others] = tools.filter(
    ({ definition }) => plain !== "" && (plainName(definition.name) === plain || plainName(ownPart(definition.name)) === plain),
  );
  return others.length === 0 ? only : undefined;
}

/** Returns the part of a tool's name after the name of its server. */
function ownPart(name: string): string {
  const at = name.indexOf("__");
  return at < 0 ? name : name.slice(at + 2);
}

/** Returns the letters and digits of a name in lower case. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
