import type { Client, CallToolResult } from "@modelcontextprotocol/client";
import type { Server as McpServer } from "@modelcontextprotocol/server";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** How long one request to the gateway may take. The gateway answers a call that is not finished after `MCP_WAIT_MS`, at most 100 s. */
const REQUEST_MS = 120_000;

/**
 * Serves the tools of the gateway to an MCP client over standard input and output, in both eras of the protocol, until the client closes standard
 * input. Every request goes to the gateway's `/mcp` with the caller's key, so the gateway decides everything. Throws a Failure if the gateway does not
 * answer or does not accept the key at the start.
 */
export async function serveTools(context: Context): Promise<ExitCode> {
  const { around, options, output, signal } = context;
  const gateway = await context.gateway();
  // This request shows before anything else that the gateway answers and accepts the key.
  await gateway.get("/v1/tools");
  const found = await context.keyFor("gateway");
  if (!found) throw new Failure(EXIT.notAllowed, "The key is gone.");
  const { Client, ProtocolError, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { Server } = await import("@modelcontextprotocol/server");
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const over = Promise.withResolvers<void>();
  const finish = (): void => over.resolve();
  const open = new Set<Client>();
  around.stdin.once("end", finish).once("close", finish);
  signal.addEventListener("abort", finish);
  const serving = serveStdio(server, {
    transport: new StdioServerTransport(around.stdin, around.stdout),
    onerror: (error) => output.note(`A message of the MCP client was refused: ${error.message}`),
  });
  output.note(`Serving the tools of ${options.url} on standard input and output.`);
  await over.promise;
  signal.removeEventListener("abort", finish);
  await serving.close();
  await Promise.all([...open].map((client) => client.close()));
  signal.throwIfAborted();
  return EXIT.ok;

  function server(): McpServer {
    const served = new Server({ name: "toolbus", version: "1" }, { capabilities: { tools: {} } });
    let connecting: Promise<Client> | undefined;
    served.setRequestHandler("tools/list", async ({ params }) => (await connected()).listTools(params));
    served.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, { mcpReq }) => {
      const token = mcpReq._meta?.progressToken;
      try {
        return await (
          await connected()
        ).callTool(
          { name, ...(args === undefined ? {} : { arguments: args }) },
          {
            signal: mcpReq.signal,
            timeout: REQUEST_MS,
            ...(token === undefined
              ? {}
              : {
                  onprogress: (progress) =>
                    void mcpReq
                      .notify({ method: "notifications/progress", params: { ...progress, progressToken: token } })
                      .catch(() => undefined),
                }),
          },
        );
      } catch (error) {
        // The gateway's refusal of the request, such as an unknown tool, reaches the client unchanged.
        if (error instanceof ProtocolError || mcpReq.signal.aborted) throw error;
        return unanswered(error);
      }
    });
    return served;

    /** Connects with the name that the client gave itself, so that approvers see it. After a failure, the next request connects again. */
    function connected(): Promise<Client> {
      connecting ??= connect().catch((error: unknown) => {
        connecting = undefined;
        throw error;
      });
      return connecting;
    }

    async function connect(): Promise<Client> {
      const { name = "toolbus mcp serve", version = "1" } = served.getClientVersion() ?? {};
      const client = new Client({ name, version }, { versionNegotiation: { mode: "auto" } });
      const headers = { authorization: `Bearer ${found?.key ?? ""}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${options.url}/mcp`), { requestInit: { headers } }));
      open.add(client);
      return client;
    }
  }

  function unanswered(error: unknown): CallToolResult {
    const why = error instanceof Error ? error.message : String(error);
    const text = `The gateway ${options.url} gave no answer (${why}). A read can be called again. Whether a write was accepted, "${SELF} runs list" shows.`;
    return { content: [{ type: "text", text }], isError: true };
  }
}
