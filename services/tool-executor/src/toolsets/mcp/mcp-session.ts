import { type CallToolResult, Client, isInputRequiredResult, type Tool as McpTool, type Transport } from "@modelcontextprotocol/client";
import { MAX_QUESTIONS } from "@toolbus/contracts";
import { ServerAsked } from "./refused-requests.ts";
import type { SessionCall } from "./session-call.ts";
import { answerRequest, inputFor } from "./server-questions.ts";
import { within } from "./within.ts";

/** One connection to a server, from its handshake to its end. */
export interface McpSession {
  readonly protocolVersion: string;
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(call: SessionCall): Promise<CallToolResult>;
  /** Ends the connection and the server's processes. Never rejects. */
  close(): Promise<void>;
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
 * Connects and negotiates the protocol version, with the newer or the older handshake of MCP. Offers the server elicitation with forms, and neither
 * sampling nor roots. If the server asks for these all the same, it gets an error that says why, and the calls under way report it. If the handshake
 * takes longer than `stepMs`, the function ends the connection and rejects.
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
      capabilities: { elicitation: { form: {} } },
      // Most servers do not know the newer handshake. If a server does not answer it, the older one is tried well before the step ends.
      versionNegotiation: legacy ? { mode: "legacy" } : { mode: "auto", probe: { timeoutMs: Math.ceil(stepMs / 3) } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 100, onChanged: () => onToolsChanged() } },
    },
  );
  const waiting = new Set<SessionCall>();
  client.fallbackRequestHandler = ({ method, params }, { mcpReq }) => answerRequest({ method, params, signal: mcpReq.signal }, waiting);
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
    async callTool(call) {
      waiting.add(call);
      return within((step) => callUntilDone(client, call, step), { ms: call.timeoutMs, signal: call.signal, what: "The call" }).finally(
        () => waiting.delete(call),
      );
    },
    close,
  };
}

/**
 * Calls a tool. In the protocol of 2026-07-28, the server may ask for input in its answer. Then the call is repeated with the input and with the
 * `requestState` of the server.
 */
async function callUntilDone(client: Client, call: SessionCall, signal: AbortSignal): Promise<CallToolResult> {
  const { tool, args, idempotencyKey, timeoutMs, onProgress } = call;
  const params = {
    name: tool,
    arguments: args,
    ...(idempotencyKey === undefined ? {} : { _meta: { "toolbus/idempotency-key": idempotencyKey } }),
  };
  let input: object = {};
  for (let rounds = 0; ; rounds++) {
    // This is not `client.callTool`, because that method would compile the server's output schema into code.
    const answer = await client.request(
      { method: "tools/call", params: { ...params, ...input } },
      {
        signal,
        timeout: timeoutMs + SPARE_MS,
        allowInputRequired: true,
        onprogress: ({ progress, total, message }) =>
          onProgress({ message, ...(total !== undefined && total > 0 ? { fraction: Math.min(1, Math.max(0, progress / total)) } : {}) }),
      },
    );
    if (!isInputRequiredResult(answer)) return answer;
    if (rounds >= MAX_ROUNDS) throw new ServerAsked(`The server asked for input more than ${MAX_ROUNDS} times.`);
    const responses = await inputFor(answer.inputRequests ?? {}, call, signal);
    input = { inputResponses: responses, ...(answer.requestState === undefined ? {} : { requestState: answer.requestState }) };
  }
}

/** The number of times that a server may ask for input in its answers to one call. */
const MAX_ROUNDS = MAX_QUESTIONS + 1;

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
