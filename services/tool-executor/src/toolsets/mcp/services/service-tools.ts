import { findService, findTool, type JsonObject, type Registration } from "@toolbus/contracts";
import {
  defineTool,
  type KnownService,
  type KnownTool,
  knownServices,
  searchServices,
  SERVICE_TOOLS,
  type Tool,
  toolError,
  withListed,
} from "@toolbus/tool-kit";
import { invokeTool } from "./invoke-tool.ts";
import type { ListedServices } from "./listed-services.ts";

export interface ServiceToolsOptions {
  /** Reads the registry. Each call of a tool reads it again, so no answer is older than the registry. */
  readonly registered: () => Promise<readonly Registration[]>;
  readonly clock: () => number;
  /** Adds the words of summaries that a model wrote. Only the search uses them. */
  readonly withWords?: (services: readonly KnownService[]) => Promise<readonly KnownService[]>;
  /** The operator's list of services, which the search also covers. */
  readonly listed?: ListedServices;
}

/**
 * Returns the reads with which a model finds a tool among many: the list of services, the details of one, and the search. They read the registry and
 * ask no server. What a foreign server wrote about its tools comes only from the details, whose results are untrusted. Also returns the tool with
 * which a model calls what it found.
 */
export function serviceTools({
  registered,
  clock,
  withWords = async (services) => services,
  listed,
}: ServiceToolsOptions): readonly Tool[] {
  const services = async (): Promise<readonly KnownService[]> => knownServices(await registered(), clock(), SERVICE_TOOLS);
  return [
    defineTool({
      name: "mcp_list_services",
      kind: "read",
      description: [
        "Lists the MCP servers and toolsets that are registered, with the names of their tools.",
        "Input: none.",
        "Output: services, each with id, type, summary and whether a worker is ready.",
        "Do not use it to find a tool for a task among many services: search_known_services does that.",
      ].join("\n"),
      parameters: { type: "object", properties: {}, additionalProperties: false },
      run: async () => ({
        services: (await services()).map(({ id, type, summary, tools }) => ({
          id,
          type,
          summary,
          ready: tools.some(({ isReady }) => isReady),
        })),
      }),
    }),
    defineTool({
      name: "mcp_get_service_details",
      kind: "read",
      trust: "untrusted",
      description: [
        "Gets what the tools of one MCP server or toolset do and which arguments they take.",
        'Input: server_name, such as "mcp:memory" or "memory", up to 130 characters; tool_name for one tool only. Case does not matter.',
        "Output: id, type and tools, each with name, description, kind, tier, parameters and whether it is ready.",
        "Do not use it to call a tool.",
      ].join("\n"),
      parameters: {
        type: "object",
        properties: {
          server_name: {
            type: "string",
            minLength: 1,
            maxLength: 130,
            description: "The id of a service, with or without mcp: or toolset:",
          },
          tool_name: { type: "string", minLength: 1, maxLength: 130, description: "One tool of the service" },
        },
        required: ["server_name"],
        additionalProperties: false,
      },
      run: async ({ server_name: name, tool_name: tool }: { readonly server_name: string; readonly tool_name?: string }) => {
        const all = await services();
        const service = findService(all, name);
        if (!service)
          return toolError(
            "service_not_found",
            `There is no service ${JSON.stringify(name)}. There are: ${all.map(({ id }) => id).join(", ")}.`,
          );
        const one = tool === undefined ? undefined : findTool(service, tool);
        if (tool !== undefined && !one)
          return toolError(
            "service_tool_not_found",
            `${service.id} has no tool ${JSON.stringify(tool)}. ${service.id} has ${service.summary}.`,
          );
        return { id: service.id, type: service.type, tools: (one ? [one] : service.tools).map(detailsOf) };
      },
    }),
    defineTool({
      name: "search_known_services",
      kind: "read",
      description: [
        "Searches all registered MCP servers and toolsets for the ones whose tools fit a task.",
        'Input: query, the task in a few words, up to 500 characters, for example "open a ticket".',
        "Output: results, at most 5, best first, each with id, type, summary, relevance_score from 0 to 1 and the names of up to 3 top_tools or top_skills. With a score under 0.3, look at mcp_list_services yourself.",
        "Do not use it to search documents, code or the web.",
      ].join("\n"),
      parameters: {
        type: "object",
        properties: { query: { type: "string", minLength: 1, maxLength: 500, description: 'The task, for example "open a ticket"' } },
        required: ["query"],
        additionalProperties: false,
      },
      run: async ({ query }: { readonly query: string }) => ({
        results: searchServices(withListed(await withWords(await services()), (await listed?.current()) ?? []), query),
      }),
    }),
    invokeTool(),
  ];
}

function detailsOf({ definition: { name, description, kind, risk, parameters }, isReady }: KnownTool) {
  return { name, description, kind, tier: risk.tier, ready: isReady, parameters: parameters as JsonObject };
}
