import { callsByName, type ToolView } from "@toolbus/contracts";

/** A page of tools, and the cursor of the next page if there is one. */
export interface OfferedPage {
  readonly tools: readonly ToolView[];
  readonly nextCursor?: string;
}

const PAGE = 200;

/**
 * Returns the tools that a caller can call now, by name: one version of each name, the one that new runs get. A tool whose workers may be scaled to
 * zero can be called although none of them runs.
 */
export function offeredTools(tools: readonly ToolView[]): readonly ToolView[] {
  const chosen = new Map<string, ToolView>();
  for (const tool of tools)
    if (isForClients(tool) && isUsable(tool) && (tool.preferred || !chosen.has(tool.name))) chosen.set(tool.name, tool);
  return [...chosen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns whether a client of the protocol may know the tool. A tool that calls another one by its name is not for clients, because they can call the
 * other tool itself, and its kind says nothing about the kind of the other one.
 */
export function isForClients(tool: Pick<ToolView, "name" | "toolset" | "source">): boolean {
  return !callsByName({ toolset: tool.toolset, definition: tool });
}

function isUsable({ forbidden, quarantined, availability, scalesToZero }: ToolView): boolean {
  if (forbidden !== undefined || quarantined !== undefined) return false;
  return availability === "ready" || (availability === "asleep" && scalesToZero === true);
}

/** Returns the page after this cursor, or null if the cursor is none that an earlier page gave. */
export function offeredPage(tools: readonly ToolView[], cursor: string | undefined): OfferedPage | null {
  const after = cursor === undefined ? "" : Buffer.from(cursor, "base64url").toString();
  if (cursor !== undefined && !/^[a-z][a-z0-9_]*$/.test(after)) return null;
  const rest = tools.filter(({ name }) => name > after);
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  return { tools: page, ...(last && rest.length > PAGE ? { nextCursor: Buffer.from(last.name).toString("base64url") } : {}) };
}
