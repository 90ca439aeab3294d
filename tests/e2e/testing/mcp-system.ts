import { readdirSync, readFileSync } from "node:fs";
import { type Apart, type AllInOne, type LocalKeys, startAllInOne, startApart } from "@toolbus/all-in-one";
import { probeServers } from "@toolbus/all-in-one/mcp";
import { isRunEnd, type RunEvent, topics, type ToolView } from "@toolbus/contracts";
import { type SpawnedService, spawnService, workerKeyFile } from "@toolbus/runtime";
import { vi } from "vitest";
import { IMPATIENT } from "../apart/impatient.ts";
import { call, follow } from "./http-client.ts";
import { CONSUMED, type Place } from "./dead-letter-places.ts";
import { scratch } from "./scratch.ts";

export type Resolved = Extract<RunEvent, { readonly type: "call.resolved" }>;

export interface McpSystem {
  readonly keys: LocalKeys;
  readonly gateway: string;
  readonly approvals: string;
  /** The processes, if each service has its own. It is null if all services run in this process. */
  readonly apart: Apart | null;
  /** Starts a run that only calls this tool, and returns its id. */
  begin(tool: string, args: object): Promise<string>;
  /** Returns the results of the calls of a run, once the run has ended. */
  results(runId: string): Promise<readonly Resolved[]>;
  /** Calls a tool as an agent does, and returns its one result. */
  call(tool: string, args: object): Promise<Resolved>;
  /** Repeats a call until the tool answers it, and returns the answer. It polls, because no event says that a server is back. */
  answer(tool: string, args: object): Promise<string>;
  /** Resolves with the first event of the type that the stream of the run shows. Rejects if the run ends before. */
  sees(runId: string, type: string): Promise<{ readonly fraction?: number; readonly message?: string }>;
  cancel(runId: string): Promise<void>;
  /** Starts another replica of the bridge in its own process. It stands by while the first one holds the lease. Needs services in separate processes. */
  anotherBridge(): Promise<SpawnedService>;
  tools(): Promise<readonly ToolView[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface McpSystemOptions {
  /** Returns whether an operator has declared the tool a read. By default each tool of the checked servers is one. */
  readonly reads?: (tool: string) => boolean;
  /** The servers whose tools an operator has looked at. By default, all. */
  readonly checked?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a Toolbus with these MCP servers. In memory, all services run in this process. On a broker, each service has its own process, and so has the
 * bridge. An operator has checked the tools that `reads` accepts, and declared them reads.
 */
export async function startMcpSystem(
  place: Place,
  servers: Readonly<Record<string, object>>,
  { reads = () => true, checked = Object.keys(servers), env = {} }: McpSystemOptions = {},
): Promise<McpSystem> {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  begun.defer(() => place.remove([topics.invoke("mcp"), ...CONSUMED].flatMap((topic) => [topic, `dead.${topic}`])));
  const path = process.env["PATH"] ?? "";
  const MCP_CONFIG_FILE = files.file("mcp.json", JSON.stringify({ mcpServers: await withReads(servers, { reads, checked, path }) }));
  const common = { LOG_LEVEL: "error", RELEASE_API_URL: "http://127.0.0.1:9", ...IMPATIENT, ...env };
  const { BUS_URL: busUrl, STATE_URL: stateUrl } = place.env;
  let apart: Apart | null = null;
  let whole: AllInOne | null = null;
  if (busUrl && stateUrl) {
    const started = await startApart({
      directory: files.data(),
      busUrl,
      stateUrl,
      replicas: 1,
      mcp: true,
      env: common,
      settingsOf: (service): Readonly<Record<string, string>> => (service === "mcp" ? { MCP_CONFIG_FILE, PATH: path } : {}),
    });
    begun.defer(async () => void (await started.stop()));
    apart = started;
  } else {
    const started = await startAllInOne({
      directory: files.data(),
      env: { ...common, GATEWAY_PORT: "0", APPROVALS_PORT: "0", MCP_CONFIG_FILE, PATH: path },
    });
    begun.defer(async () => void (await started.stop()));
    whole = started;
  }
  const gateway = whole?.gatewayUrl ?? apart?.gatewayUrls[0] ?? "";
  const keys = (whole ?? apart)?.keys;
  if (!keys) throw new Error("The system has no keys.");
  const requester = { gateway, user: keys.user };
  const post = async (url: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const answer = await call(`${gateway}${url}`, keys.user, body);
    if (answer.status >= 300) throw new Error(`POST ${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body as Readonly<Record<string, string>>;
  };
  const begin = async (tool: string, args: object): Promise<string> => {
    const { conversationId } = await post("/v1/conversations", { profile: "direct" });
    const { runId } = await post(`/v1/conversations/${conversationId}/messages`, { text: `${tool} ${JSON.stringify(args)}` });
    if (runId === undefined) throw new Error("The gateway named no run.");
    return runId;
  };
  const results = async (runId: string): Promise<readonly Resolved[]> =>
    (await follow(requester, runId)).flatMap((event) => (event.type === "call.resolved" ? [event] : []));
  const callOnce = async (tool: string, args: object): Promise<Resolved> => {
    const [first, ...more] = await results(await begin(tool, args));
    if (!first || more.length > 0) throw new Error(`The call of ${tool} had ${more.length + (first ? 1 : 0)} results.`);
    return first;
  };
  const open = begun.move();
  return {
    keys,
    gateway,
    approvals: whole?.approvalsUrl ?? apart?.approvalsUrls[0] ?? "",
    apart,
    begin,
    results,
    call: callOnce,
    answer: (tool, args) =>
      vi.waitFor(
        async () => {
          const { status, content } = await callOnce(tool, args);
          if (status !== "ok") throw new Error(`${tool} answered ${status}: ${content}`);
          return content;
        },
        { timeout: 60_000, interval: 100 },
      ),
    sees: (runId, type) => firstEvent(requester, runId, type),
    cancel: async (runId) => void (await post(`/v1/runs/${runId}/cancel`, {})),
    async anotherBridge() {
      const services = apart?.keys.services;
      if (!services || !busUrl || !stateUrl) throw new Error("Only services in separate processes have another bridge.");
      const bridge = await spawnService({
        name: "mcp 2",
        module: import.meta.resolve("@toolbus/tool-executor/main"),
        env: {
          ...common,
          BUS_URL: busUrl,
          STATE_URL: stateUrl,
          SERVICE_KEYS_FILE: services.trusted,
          TOOLSETS: "mcp",
          RECEIPT_KEY_FILE: workerKeyFile(services, "mcp"),
          MCP_CONFIG_FILE,
          PATH: path,
        },
      });
      open.defer(async () => void (await bridge.stop()));
      return bridge;
    },
    tools: async () => ((await call(`${gateway}/v1/tools`, keys.user)).body as { readonly tools: readonly ToolView[] }).tools,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Returns the entries with the settings of an operator who has read the definitions and declares some tools reads. */
async function withReads(
  servers: Readonly<Record<string, object>>,
  { reads, checked, path }: Required<Pick<McpSystemOptions, "reads" | "checked">> & { readonly path: string },
): Promise<object> {
  const looked = Object.fromEntries(Object.entries(servers).filter(([name]) => checked.includes(name)));
  const probed = await probeServers(JSON.stringify({ mcpServers: looked }), {
    file: "mcp.json",
    env: { PATH: path },
    cwd: process.cwd(),
    stepMs: 60_000,
    signal: AbortSignal.timeout(60_000),
  });
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => {
      if (!checked.includes(name)) return [name, entry];
      const found = probed.servers.find((server) => server.name === name);
      if (!found?.ok) throw new Error(`The MCP server ${name} cannot be used: ${found?.problem ?? probed.problems.join(" ")}`);
      const tools = found.tools
        .filter((tool) => reads(tool.name))
        .map(({ original, fingerprint }) => [original, { kind: "read", fingerprint, timeoutMs: 120_000 }] as const);
      return [name, { ...entry, toolbus: { tools: Object.fromEntries(tools) } }];
    }),
  );
}

async function firstEvent(
  { gateway, user }: { readonly gateway: string; readonly user: string },
  runId: string,
  type: string,
): Promise<{ readonly fraction?: number; readonly message?: string }> {
  const stop = new AbortController();
  try {
    const response = await fetch(`${gateway}/v1/runs/${runId}/events`, {
      headers: { authorization: `Bearer ${user}`, accept: "text/event-stream" },
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]),
    });
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.+)$/m.exec(block)?.[1];
        if (!data) continue;
        const event = JSON.parse(data) as RunEvent;
        if (String(event.type) === type) return event as object;
        if (isRunEnd(event)) throw new Error(`The run ended before an event ${type}: ${data}`);
      }
    }
    throw new Error(`The stream of ${runId} broke off before an event ${type}.`);
  } finally {
    stop.abort();
  }
}

/** Returns the pids of the Node processes whose arguments contain this text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [command = "", ...args] = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      return command === process.execPath && args.some((arg) => arg.includes(text)) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
