import { type JsonObject, type ToolView, visible } from "@toolbus/contracts";
import type { McpHttpHandler, ServerContext } from "@modelcontextprotocol/server";
import type { Principal, RateLimit } from "@toolbus/runtime";
import { currentTraceparent } from "@toolbus/telemetry";
import type { Gateway } from "../gateway.ts";
import { cancelRun } from "../inbound/cancel-run.ts";
import { startCall } from "../inbound/start-call.ts";
import { refused } from "../refused.ts";
import { toolList } from "../routes/tools.ts";
import { callResult, type CallResult, GET_CALL } from "./call-result.ts";
import { getCallTool, readAsked } from "./get-call-tool.ts";
import { isForClients, offeredPage, offeredTools } from "./offered-tools.ts";
import { waitForCall } from "./wait-for-call.ts";

/** The sender and the content of a request. */
export interface Sender {
  readonly principal: Principal;
  /** The JSON of the request. */
  readonly body: unknown;
  /** The `Idempotency-Key`. A call with the same key is the same call. */
  readonly key: string | undefined;
}

/** Answers requests of MCP clients, in both eras of the protocol. */
export interface McpHandler {
  answer(request: Request, from: Sender): Promise<Response>;
  /** Ends the requests that have no answer yet. */
  close(): Promise<void>;
}

export interface McpHandlerOptions {
  readonly gateway: Gateway;
  /** The limit on new runs of a principal per minute. Null means no limit. */
  readonly runs: RateLimit | null;
}

const INSTRUCTIONS =
  "Every call is recorded and checked. A write may wait until a person approves it. Its answer then has the status waiting and a handle: " +
  `ask for the outcome with ${GET_CALL}, and do not send the write again.`;

const brokeOff = refused(
  "store_unavailable",
  "Toolbus could not finish this request.",
  'A read can be called again. Whether a write was accepted, "toolbus runs list" shows.',
);

/** Creates the handler. Loads the SDK of MCP, so that only a gateway that gets such a request pays for it. */
export async function mcpHandler({ gateway, runs }: McpHandlerOptions): Promise<McpHandler> {
  const { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } = await import("@modelcontextprotocol/server");
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.["sender"] as Sender), {
    onerror: (error) => gateway.log.debug({ error }, "a request of an MCP client was refused"),
  });
  return {
    answer(request, sender) {
      const { id: clientId, scopes } = sender.principal;
      const authInfo = { token: "", clientId, scopes: [...scopes], extra: { sender } };
      return handler.fetch(request, { authInfo, parsedBody: sender.body });
    },
    close: () => handler.close(),
  };

  function serverFor({ principal, key }: Sender) {
    const server = new Server({ name: "toolbus", version: "1" }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
    server.setRequestHandler("tools/list", async ({ params }) => {
      const tools = await offered(principal).catch((error: unknown) => {
        gateway.log.warn({ error }, "the tools for an MCP client could not be read");
        throw new ProtocolError(ProtocolErrorCode.InternalError, "The tools cannot be read now. Repeat the request.");
      });
      const page = offeredPage(tools, params?.cursor);
      if (page === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not one that this list gave.");
      const { nextCursor } = page;
      const own = params?.cursor === undefined ? [getCallTool] : [];
      return { tools: [...own, ...page.tools.map(listed)], ...(nextCursor === undefined ? {} : { nextCursor }) } as never;
    });
    server.setRequestHandler("tools/call", async ({ params: { name, arguments: given = {} } }, ctx) => {
      const args: JsonObject = given as JsonObject;
      try {
        return (await (name === GET_CALL ? getCall(args, principal, ctx) : call(name, args, ctx))) as never;
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        gateway.log.warn({ error }, "a call of an MCP client broke off");
        return callResult(brokeOff) as never;
      }
    });
    return server;

    async function call(name: string, args: JsonObject, ctx: ServerContext): Promise<CallResult> {
      const views = (await toolList(gateway, principal)).tools.filter((tool) => tool.name === name && isForClients(tool));
      const [tool] = [...views.filter(({ preferred }) => preferred), ...views];
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name.slice(0, 80)}" for this key.`);
      const forbidden = views.every((view) => view.forbidden !== undefined) ? tool.forbidden : undefined;
      if (forbidden !== undefined) return callResult(refused("forbidden", forbidden, "Use a key that may."));
      const limited = await overLimit(principal);
      if (limited) return callResult(limited);
      const started = await startCall(gateway, {
        principal,
        key,
        call: { tool: name, arguments: args, client: clientNamed(server.getClientVersion()?.name) },
        traceparent: currentTraceparent(),
      });
      if (started.kind === "refused") return callResult(started);
      const { runId } = started;
      const { signal } = ctx.mcpReq;
      const now = await waitForCall(gateway, {
        runId,
        principal,
        waitMs: gateway.config.MCP_WAIT_MS,
        signal,
        untilPeople: true,
        ...progressTo(ctx),
      });
      // Nobody waits for the answer of a read any more. A write continues, because it may have happened, and its run shows its outcome.
      if (signal.aborted && now.kind === "waiting" && tool.kind !== "write") await cancelRun(gateway, { principal, runId });
      return callResult(now);
    }
  }

  async function getCall(args: JsonObject, principal: Principal, ctx: ServerContext): Promise<CallResult> {
    const asked = readAsked(args);
    if (asked.kind === "refused") return callResult(asked);
    const waitMs = Math.min(asked.waitSeconds * 1000, gateway.config.MCP_WAIT_MS);
    const { signal } = ctx.mcpReq;
    return callResult(
      await waitForCall(gateway, { runId: asked.handle, principal, waitMs, signal, untilPeople: false, ...progressTo(ctx) }),
    );
  }

  async function offered(principal: Principal): Promise<readonly ToolView[]> {
    const { tools } = await toolList(gateway, principal);
    return offeredTools(tools).filter(({ name }) => name !== GET_CALL);
  }

  async function overLimit(principal: Principal) {
    if (!runs) return null;
    const { granted, resetMs } = await runs.take(principal);
    const retryAfterS = Math.max(1, Math.ceil(resetMs / 1000));
    if (granted) return null;
    return {
      ...refused("rate_limited", `This principal may ${runs.words} a minute.`, `Repeat the call in ${retryAfterS} s.`),
      retryAfterS,
    };
  }
}

/** Returns a tool in the form of the MCP specification. */
function listed({ name, description, parameters, kind, tier }: ToolView) {
  const destructive = kind === "write" && (tier === "high" || tier === "critical");
  const annotations = { readOnlyHint: kind !== "write", ...(kind === "write" ? { destructiveHint: destructive } : {}) };
  return { name, description, inputSchema: { ...parameters, type: "object" }, annotations };
}

/** Returns how to tell the client the progress of a call, if the client asked for progress. */
function progressTo({ mcpReq }: ServerContext) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress({ n, message, fraction }: { readonly n: number; readonly message: string; readonly fraction?: number | undefined }) {
      // The specification demands a number that grows. The fraction of a tool need not grow, so the number counts the reports.
      const params = {
        progressToken,
        progress: n,
        message: fraction === undefined ? message : `${message} (${Math.round(fraction * 100)} %)`,
      };
      void mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}

/** Returns the client in words. In the older protocol, the request of a call does not name its client. */
function clientNamed(name: string | undefined): string {
  return name ? `The MCP client ${visible(name.slice(0, 40).toWellFormed())}`.slice(0, 80) : "An MCP client";
}
