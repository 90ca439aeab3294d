import { mcpAnswer, mcpMessage } from "@toolbus/contracts";
import { postRoute, type Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";
import { exchange } from "../mcp/http-exchange.ts";
import { type McpHandler, mcpHandler } from "../mcp/mcp-handler.ts";
import { onlyOwnSites } from "../mcp/own-host.ts";
import { CALLERS } from "./callers.ts";
import type { Limits } from "./limits.ts";

/** The route of the MCP server, and how to end its open requests. */
export interface McpRoutes {
  readonly routes: readonly Route[];
  stop(): Promise<void>;
}

export function mcpRoutes(gateway: Gateway, limits: Limits): McpRoutes {
  let loading: Promise<McpHandler> | undefined;
  const handler = (): Promise<McpHandler> => (loading ??= mcpHandler({ gateway, runs: limits.runs }));
  return {
    routes: [
      postRoute({
        url: "/mcp",
        access: CALLERS,
        docs: {
          operationId: "mcp",
          tag: "Tools",
          summary: "Serves the registered tools to clients of the Model Context Protocol (MCP).",
          description: [
            "The transport is Streamable HTTP, in the versions 2025-11-25 and 2026-07-28 of the protocol. An MCP client sends these requests. A call becomes a run with one call, so it has the rights of the key, and a write needs its grant.",
            "`docs/mcp.md` explains what a client gets.",
          ].join("\n\n"),
          answers: {
            200: {
              says: "The answer, as JSON or as a stream of events that ends with the answer.",
              body: mcpAnswer,
              example: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
            },
            202: { says: "The notification was taken." },
          },
          problems: [],
        },
        body: {
          declared: mcpMessage,
          required: true,
          examples: [{ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
          remedy: "Send one message of the Model Context Protocol, with an MCP client.",
        },
        // Only `tools/call` starts a run, so the handler itself applies the limit.
        rate: null,
        async handle({ principal, key, request, reply }) {
          onlyOwnSites(request.headers, gateway.config);
          const mcp = await handler();
          await exchange(request, reply, (asked) => mcp.answer(asked, { body: request.body, principal, key }));
          return undefined;
        },
      }),
    ],
    async stop() {
      await (await loading)?.close();
    },
  };
}
