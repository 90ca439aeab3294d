import { availabilityOf, INVOKE_TOOL, type ListedService, type Registration, serviceIdOf, type ToolDefinition } from "@toolbus/contracts";
import { scored } from "@toolbus/models";
import { rankTools } from "./rank-tools.ts";
import { toolText } from "./tool-facts.ts";
import { summaryOf } from "./service-summary.ts";

/** An MCP server or a toolset with the tools that are registered now, or a service of the operator's list. */
export interface KnownService {
  /** `mcp:<server>` or `toolset:<name>`, as in rules of the policy, or the id in the operator's list. */
  readonly id: string;
  readonly type: "mcp" | "toolset" | "static";
  /** A text that contains no sentence of a foreign server. */
  readonly summary: string;
  readonly tools: readonly KnownTool[];
  /** Words of a model about the tools. Only the search uses them, and nobody is shown them. */
  readonly words?: readonly string[];
  /** The entry of the operator's list. Absent for a service that is registered. */
  readonly listed?: ListedService;
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
  /** The names of the tools that match best. Absent for a service that lists skills. */
  readonly top_tools?: readonly string[];
  /** The names of the skills that match best, for a service that lists skills. */
  readonly top_skills?: readonly string[];
};

/** The names of the tools that say which services there are, and that call what they found. They are no service themselves. */
export const SERVICE_TOOLS: ReadonlySet<string> = new Set([
  "mcp_list_services",
  "mcp_get_service_details",
  "search_known_services",
  INVOKE_TOOL,
]);

/** Returns the services of these registrations, in the order of their ids. It leaves out deprecated versions and the tools of `without`. */
export function knownServices(registrations: readonly Registration[], now: number, without: ReadonlySet<string>): readonly KnownService[] {
  const listed = registrations.filter(({ definition }) => definition.deprecated === undefined && !without.has(definition.name));
  const groups = Map.groupBy(listed, serviceIdOf);
  return [...groups]
    .map(([id, members]): KnownService => {
      const tools = uniqueByName(members).map((one) => ({ definition: one.definition, isReady: availabilityOf(one, now) === "ready" }));
      return { id, type: id.startsWith("mcp:") ? "mcp" : "toolset", summary: derivedOf(id, tools).summary, tools };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * Returns the services with those of the operator's list. A listed service that has the id of a registered one is left out, because the registry says
 * more about it.
 */
export function withListed(services: readonly KnownService[], listed: readonly ListedService[]): readonly KnownService[] {
  const ids = new Set(services.map(({ id }) => id.toLowerCase()));
  const added = listed.filter(({ id }) => !ids.has(id.toLowerCase()));
  return [...services, ...added.map((one): KnownService => ({ id: one.id, type: one.type, summary: one.summary, tools: [], listed: one }))];
}

/**
 * Returns at most `most` services that match a query, best first (Okapi BM25 over the id, and over the names and descriptions of the tools or the
 * entry of the operator's list). A service without any word of the query is left out. Scores under about 0.3 mean that the best service matches much
 * better.
 */
export function searchServices(services: readonly KnownService[], query: string, most = MOST_FOUND): readonly FoundService[] {
  const matches = scored(services, serviceText, query)
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most);
  const best = matches[0]?.score ?? 1;
  return matches.map(({ item: service, score }) => ({
    id: service.id,
    type: service.type,
    summary: service.summary,
    relevance_score: Math.round((score / best) * 100) / 100,
    ...topOf(service, query),
  }));
}

const MOST_FOUND = 5;
const TOP = 3;

function topOf({ tools, listed }: KnownService, query: string): Pick<FoundService, "top_tools" | "top_skills"> {
  const top = (names: readonly string[]): readonly string[] => rankTools(names, (name) => ({ name, description: "" }), query).slice(0, TOP);
  if (listed?.skills) return { top_skills: top(listed.skills) };
  if (listed) return { top_tools: top(listed.tools ?? []) };
  const best = rankTools(tools, ({ definition }) => definition, query).slice(0, TOP);
  return { top_tools: best.map(({ definition }) => definition.name) };
}

function uniqueByName(members: readonly Registration[]): readonly Registration[] {
  return [...new Map(members.map((one) => [one.definition.name, one])).values()].toSorted((a, b) =>
    a.definition.name < b.definition.name ? -1 : 1,
  );
}

function serviceText({ id, tools, listed, words = [] }: KnownService): string {
  if (listed) return [id, listed.summary, ...(listed.skills ?? []), ...(listed.tools ?? [])].join("\n");
  const own = derivedOf(id, tools);
  if (words.length === 0) return own.text;
  const added = words.join(" ");
  if (own.withWords?.words !== added) own.withWords = { words: added, text: `${own.text}\n${added}` };
  return own.withWords.text;
}

/** What is derived from a service's id and definitions. */
interface Derived {
  readonly id: string;
  readonly tools: readonly KnownTool[];
  readonly summary: string;
  readonly text: string;
  /** The text with the words of a model. */
  withWords?: { readonly words: string; readonly text: string };
}

// The registry is read at each search and returns the same object for a definition that has not changed. So these objects say whether something changed.
const derived = new WeakMap<ToolDefinition, Derived>();

function derivedOf(id: string, tools: readonly KnownTool[]): Derived {
  const first = tools[0]?.definition;
  const before = first && derived.get(first);
  const isSame =
    before?.id === id && before.tools.length === tools.length && before.tools.every((one, n) => one.definition === tools[n]?.definition);
  if (before && isSame) return before;
  const definitions = tools.map(({ definition }) => definition);
  const made: Derived = { id, tools, summary: summaryOf(definitions), text: [id, ...definitions.map(toolText)].join("\n") };
  if (first) derived.set(first, made);
  return made;
}
