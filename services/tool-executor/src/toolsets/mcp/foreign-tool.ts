import type { CallToolResult } from "@modelcontextprotocol/client";
import type { Json, JsonObject } from "@toolbus/contracts";
import {
  type DraftDefinition,
  type Tool,
  type ToolContext,
  toolError,
  type ToolOutput,
  ToolProblem,
  type WriteContext,
} from "@toolbus/tool-kit";
import { type Attach, contentOf, textOf } from "./call-content.ts";
import { isRefusedAccess, NoToken } from "./client-token.ts";
import { type McpServer, ServerDown } from "./mcp-server.ts";
import { ServerAsked } from "./refused-requests.ts";
import { StepTimeout } from "./within.ts";

/** Returns a tool whose handlers pass the call to the server, under the server's own name for the tool. */
export function foreignTool(draft: DraftDefinition, { server, tool }: { readonly server: McpServer; readonly tool: string }): Tool {
  const { timeoutMs } = draft;
  const ask = (
    args: JsonObject,
    context: Pick<ToolContext | WriteContext, "signal" | "progress" | "ask">,
    idempotencyKey?: string,
  ): Promise<CallToolResult> =>
    server.call({
      tool,
      args,
      timeoutMs,
      signal: context.signal,
      ask: context.ask,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      onProgress: ({ message, fraction }) =>
        context.progress({ message: message ?? `${tool} is under way`, ...(fraction === undefined ? {} : { fraction }) }),
    });
  if (draft.kind !== "write")
    return {
      kind: draft.kind,
      draft,
      run: async (args, context) => answerOf(await ask(args, context).catch(asProblem), context.attach),
    };
  return {
    kind: "write",
    draft,
    // The check happens before anything is sent, so a server that is down has done nothing.
    prepare: (args) => {
      const why = server.unavailable();
      return why === null ? args : toolError("unavailable", why);
    },
    run: async (prepared, context) =>
      writtenOf(await ask(prepared as JsonObject, context, context.idempotencyKey).catch(asProblem), context.attach),
  };
}

function answerOf(result: CallToolResult | ToolProblem, attach: Attach): ToolOutput {
  if (result instanceof ToolProblem) return result;
  return result.isError === true ? toolError(codeOf(result), wordsOf(result)) : contentOf(result, attach);
}

/** Returns the output of a write. If the server reports a failure, the write may have happened in part, unless the server refused the arguments. */
function writtenOf(result: CallToolResult | ToolProblem, attach: Attach): Json | ToolProblem {
  if (result instanceof ToolProblem) return result;
  if (result.isError !== true) return contentOf(result, attach);
  const code = codeOf(result);
  return toolError(code, wordsOf(result), code === "invalid_arguments" ? { effect: "none" } : {});
}

/** How a server that is built with an official SDK reports that it refused the arguments or the tool. */
const REFUSED = /^MCP error -3260[012]\b/;

function codeOf(result: CallToolResult): string {
  const [first] = result.content;
  return first?.type === "text" && REFUSED.test(first.text) ? "invalid_arguments" : "execution_failed";
}

function wordsOf(result: CallToolResult): string {
  return `The server says: ${textOf(result.content).slice(0, 1800)}`;
}

/** Returns a failure in words for the model. The failure says `effect: "none"` only if the server certainly did nothing. */
function asProblem(error: unknown): ToolProblem {
  if (error instanceof ServerDown) return toolError("unavailable", error.message, { effect: "none" });
  if (error instanceof NoToken)
    return toolError("unavailable", `The server was not called: ${error.message}.`, { effect: "none", dependency: null, cause: error });
  if (isRefusedAccess(error))
    return toolError("unavailable", `The server refused the bridge's token: check "oauth" or "headers" of its entry.`, {
      effect: "none",
      // The server works, and only an operator can correct the token.
      dependency: null,
      cause: error,
    });
  // The same call would end in the same way.
  if (error instanceof ServerAsked) return toolError("execution_failed", error.message, { retryable: false, cause: error });
  if (error instanceof StepTimeout) return toolError("timeout", "The server did not answer within the time of the call.", { cause: error });
  const said = error instanceof Error ? error.message : String(error);
  // These are JSON-RPC's own refusals before any tool runs. The method, the tool or the arguments are unknown or invalid.
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === -32600 || code === -32601 || code === -32602)
    return toolError("invalid_arguments", `The server refused the call: ${said.slice(0, 500)}`, { effect: "none", cause: error });
  return toolError("unavailable", `The call of the server failed: ${said.slice(0, 500)}`, { cause: error });
}
