import { availabilityOf, type Registration, serviceIdOf, type ToolDefinition } from "@toolbus/contracts";
import { scored } from "@toolbus/models";

/** An MCP server or a toolset, with the tools that are registered now. */
export interface KnownService {
  /** `mcp:<server>` or `toolset:<name>`, as in rules of the policy. */
  readonly id: string;
  readonly type: "mcp" | "toolset";
  /** A text that contains no words of a foreign server except the names of its tools. */
  readonly summary: string;
  readonly tools: readonly KnownTool[];
}

export interface KnownTool {
  readonly definition: ToolDefinition;
  readonly isReady: boolean;
}

/** A service that matches a query. */
export type FoundService = {
  readonly id: string;
  readonly type: KnownService["type"];
  readonly summary: string;
  /** The score divided by the best score of the list, with two decimal places. */
  readonly relevance_score: number;
  /** The names of the tools that match best. */
  readonly top_tools: readonly string[];
};

/** Returns the services of these registrations, in the order of their ids. It leaves out deprecated versions and the tools of `without`. */
export function knownServices(registrations: readonly Registration[], now: number, without: ReadonlySet<string>): readonly KnownService[] {
  const listed = registrations.filter(({ definition }) => definition.deprecated === undefined && !without.has(definition.name));
  const groups = Map.groupBy(listed, serviceIdOf);
  return [...groups]
    .map(([id, members]): KnownService => {
      const tools = uniqueByName(members).map((one) => ({ definition: one.definition, isReady: availabilityOf(one, now) === "ready" }));
      return { id, type: id.startsWith("mcp:") ? "mcp" : "toolset", summary: summaryOf(tools), tools };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Returns at most `MOST_FOUND` services that match a query, best first (Okapi BM25 over the id and the names and descriptions of the tools). A service
 * without any word of the query is left out. Scores under about 0.3 mean that the best service matches much better.
 */
export function searchServices(services: readonly KnownService[], query: string): readonly FoundService[] {
  const matches = scored(services, textOf, query)
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND);
  const best = matches[0]?.score ?? 1;
  return matches.map(({ item: { id, type, summary, tools }, score }) => ({
    id,
    type,
    summary,
    relevance_score: Math.round((score / best) * 100) / 100,
    top_tools: scored(tools, toolText, query)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, TOP_TOOLS)
      .map(({ item }) => item.definition.name),
  }));
}

const MOST_FOUND = 5;
const TOP_TOOLS = 3;
const MOST_NAMES = 8;

function uniqueByName(members: readonly Registration[]): readonly Registration[] {
  return [...new Map(members.map((one) => [one.definition.name, one])).values()].toSorted((a, b) =>
    a.definition.name < b.definition.name ? -1 : 1,
  );
}

function summaryOf(tools: readonly KnownTool[]): string {
  const names = tools.slice(0, MOST_NAMES).map(({ definition }) => definition.name);
  const more = tools.length > MOST_NAMES ? `, and ${tools.length - MOST_NAMES} more` : "";
  return `${tools.length === 1 ? "1 tool" : `${tools.length} tools`}: ${names.join(", ")}${more}`;
}

function textOf({ id, tools }: KnownService): string {
  return [id, ...tools.map(toolText)].join("\n");
}

function toolText({ definition: { name, description } }: KnownTool): string {
  return `${name} ${description}`;
}
