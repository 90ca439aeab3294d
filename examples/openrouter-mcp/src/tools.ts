import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import type { KeyKind, OpenRouter } from "./open-router.ts";

/** A tool of this server, which is one GET request. */
interface ReadTool {
  readonly name: string;
  readonly description: string;
  readonly key: KeyKind;
  /** The name and the description of the only argument. */
  readonly argument?: { readonly name: string; readonly description: string };
  /** Returns the path below the base URL for the argument, which is encoded already. */
  readonly path: (argument: string) => string;
}

const TOOLS: readonly ReadTool[] = [
  {
    name: "get_credits",
    description: "Gets how many credits the account has bought and used, in US dollars.",
    key: "any",
    path: () => "/credits",
  },
  {
    name: "get_api_key_info",
    description: "Gets the usage, the limit and the rate limit of the API key that this server uses. The key itself is not shown.",
    key: "api",
    path: () => "/key",
  },
  {
    name: "list_models",
    description: "Lists all models with their ids, prices, context lengths and supported parameters. The list is long.",
    key: "any",
    path: () => "/models",
  },
  {
    name: "list_api_keys",
    description:
      "Lists the API keys of the account with their names, hashes, limits and usage. Needs a management key. The keys are not shown.",
    key: "management",
    path: () => "/keys",
  },
  {
    name: "get_api_key",
    description: "Gets the name, the limit and the usage of one API key. Needs a management key. The key itself is not shown.",
    key: "management",
    argument: { name: "keyHash", description: "The hash of the key, as list_api_keys gives it" },
    path: (hash) => `/keys/${hash}`,
  },
  {
    name: "get_generation",
    description: "Gets the model, the tokens, the cost and the latency of one generation.",
    key: "api",
    argument: { name: "generationId", description: 'The id of the generation, such as "gen-1740000000-AbCdEf"' },
    path: (id) => `/generation?id=${id}`,
  },
];

/** Creates a server with the six tools. Each result is the JSON text of the REST API, or an error in one sentence. */
export function openRouterServer(api: OpenRouter): McpServer {
  const server = new McpServer({ name: "openrouter", version: "1.0.0" }, { capabilities: { tools: {} } });
  for (const { name, description, key, argument, path } of TOOLS) {
    const inputSchema = fromJsonSchema<Readonly<Record<string, string>>>({
      type: "object",
      properties: argument
        ? { [argument.name]: { type: "string", pattern: "^[A-Za-z0-9_-]{1,128}$", description: argument.description } }
        : {},
      required: argument ? [argument.name] : [],
      additionalProperties: false,
    });
    server.registerTool(
      name,
      { description, inputSchema, annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true } },
      async (args, context) => {
        const given = argument ? encodeURIComponent(args[argument.name] ?? "") : "";
        const answer = await api.get(path(given), key, context.mcpReq.signal);
        return answer.ok
          ? { content: [{ type: "text", text: answer.json }] }
          : { content: [{ type: "text", text: answer.problem }], isError: true };
      },
    );
  }
  return server;
}
