import {
  type CallToolResult,
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Tool as McpTool,
  type Transport,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolbus/contracts";
import { isRefusedRequest, refusalOf, ServerAsked } from "./refused-requests.ts";
import { within } from "./within.ts";

/** One connection to a server, from its handshake to its end. */
export interface McpSession {
  readonly protocolVersion: string;
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(call: SessionCall): Promise<CallToolResult>;
  /** Ends the connection and the server's processes. Never rejects. */
  close(): Promise<void>;
}

export interface SessionCall {
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly args: JsonObject;
  readonly idempotencyKey?: string;
  readonly timeoutMs: number;
  /** When it aborts, the server is notified that nobody waits for the call any more. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly message?: string | undefined; readonly fraction?: number }) => void;
}

export interface SessionOptions {
  readonly transport: Transport;
  /** True if only the older protocol is used. Some servers exit when they are asked for the newer one. */
  readonly legacy: boolean;
  /** The time limit of the handshake and of a list of tools, in milliseconds. */
  readonly stepMs: number;
  readonly signal: AbortSignal;
  /** Called once when the connection has ended, even if `close` ended it. */
  readonly onClosed: () => void;
  readonly onToolsChanged: () => void;
  /** Called with errors of the transport that do not end a call. */
  readonly onError: (error: Error) => void;
}

/** The maximum number of tools that are read from one server. */
const MAX_TOOLS = 500;
const MAX_PAGES = 50;

/**
 * Connects and negotiates the protocol version, with the newer or the older handshake of MCP. Offers the server no sampling, no elicitation and no
 * roots. If the server asks for them all the same, it gets an error that says why, and the calls under way report it. If the handshake takes longer than `stepMs`, the function ends the connection and
 * rejects.
 */
export async function openSession({
  transport,
  legacy,
  stepMs,
  signal,
  onClosed,
  onToolsChanged,
  onError,
}: SessionOptions): Promise<McpSession> {
  const client = new Client(
    { name: "toolbus", version: "1" },
    {
      capabilities: {},
      // Most servers do not know the newer handshake. If a server does not answer it, the older one is tried well before the step ends.
      versionNegotiation: legacy ? { mode: "legacy" } : { mode: "auto", probe: { timeoutMs: Math.ceil(stepMs / 3) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 100, onChanged: () => onToolsChanged() } },
    },
  );
  const waiting = new Set<SessionCall["onProgress"]>();
  // A request does not say for which call it is, so each call under way reports it.
  const report = (message: string): void => waiting.forEach((onProgress) => onProgress({ message }));
  client.fallbackRequestHandler = async ({ method, params }) => {
    const sentence = refusalOf(method, params);
    if (isRefusedRequest(method)) report(sentence);
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, sentence);
  };
  client.onclose = onClosed;
  client.onerror = onError;
  const close = async (): Promise<void> => {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  try {
    await within((step) => client.connect(transport, { signal: step, timeout: stepMs + SPARE_MS }), {
      ms: stepMs,
      signal,
      what: "The handshake",
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "unknown",
    listTools: (stop) => within((step) => listAll(client, step, stepMs), { ms: stepMs, signal: stop, what: "The list of tools" }),
    async callTool({ tool, args, idempotencyKey, timeoutMs, signal: stop, onProgress }) {
      waiting.add(onProgress);
      return within(
        // This is not `client.callTool`, because that method would compile the server's output schema into code.
        (step) =>
          client.request(
            {
              method: "tools/call",
              params: {
                name: tool,
                arguments: args,
                ...(idempotencyKey === undefined ? {} : { _meta: { "toolbus/idempotency-key": idempotencyKey } }),
              },
            },
            {
              signal: step,
              timeout: timeoutMs + SPARE_MS,
              onprogress: ({ progress, total, message }) =>
                onProgress({
                  message,
                  ...(total !== undefined && total > 0 ? { fraction: Math.min(1, Math.max(0, progress / total)) } : {}),
                }),
            },
          ),
        { ms: timeoutMs, signal: stop, what: "The call" },
      )
        .catch((error: unknown) => {
          const sentence = askedInAnswer(error);
          if (sentence === null) throw error;
          onProgress({ message: sentence });
          throw new ServerAsked(sentence, { cause: error });
        })
        .finally(() => waiting.delete(onProgress));
    },
    close,
  };
}

/** Returns the sentence about a request of the server that came as its answer to a call (protocol 2026-07-28), or null for another error. */
function askedInAnswer(error: unknown): string | null {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.CapabilityNotSupported) return null;
  const { data } = error as { readonly data?: unknown };
  const method = typeof data === "object" && data !== null && "method" in data ? String(data.method) : "";
  return isRefusedRequest(method) ? refusalOf(method, null) : null;
}

/** This time is added to the SDK's time limits, so that our own timer fires first. */
const SPARE_MS = 1000;

async function listAll(client: Client, signal: AbortSignal, timeout: number): Promise<readonly McpTool[]> {
  const all: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && all.length < MAX_TOOLS; page++) {
    const { tools, nextCursor } = await client.request(
      { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
      { signal, timeout: timeout + SPARE_MS },
    );
    all.push(...tools);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return all.slice(0, MAX_TOOLS);
}
