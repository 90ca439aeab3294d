import { toolset } from "@toolbus/tool-kit";
import { clientTokens } from "./client-token.ts";
import { connectServer } from "./connect-server.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { foreignDefinition, policyOf } from "./foreign-definition.ts";
import { parseMcpConfig, type ServerConfig } from "./mcp-config.ts";
import { endedBecause, type Connection } from "./mcp-server.ts";
import { type McpSession, openSession } from "./mcp-session.ts";
import { meteredFetch } from "./remote-transport.ts";
import { mapNames } from "./tool-names.ts";

/** What a server answered when it was tried. */
export type ProbedServer =
  | {
      readonly name: string;
      readonly ok: true;
      readonly protocol: string;
      readonly tools: readonly ProbedTool[];
      /** The tools that the bridge would not register. */
      readonly leftOut: readonly { readonly original: string; readonly reason: string }[];
    }
  | { readonly name: string; readonly ok: false; readonly problem: string };

/** A tool as the bridge would register it. */
export interface ProbedTool {
  readonly name: string;
  /** The server's own name for the tool, which the file of servers uses. */
  readonly original: string;
  readonly kind: "read" | "compute" | "write";
  readonly tier: string;
  /** What an operator writes next to `kind` to declare the tool a read. */
  readonly fingerprint: string;
}

export interface Probed {
  /** A sentence for each entry of the file that cannot be used, or one about the whole file. */
  readonly problems: readonly string[];
  readonly servers: readonly ProbedServer[];
}

export interface ProbeOptions {
  /** How the problems name the file. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory in which servers start, if their entries name none. */
  readonly cwd: string;
  /** The time limit of the handshake and of the list of tools, in milliseconds. */
  readonly stepMs: number;
  readonly signal: AbortSignal;
}

/**
 * Starts or connects to each enabled server of a file, lists its tools, and ends the connection. If that fails, it tries once more with the older
 * protocol. Registers nothing. Returns each fault as a sentence with
 * the remedy. Rejects only if `signal` aborts.
 */
export async function probeServers(text: string, { file, env, cwd, stepMs, signal }: ProbeOptions): Promise<Probed> {
  const { servers, problems } = parseMcpConfig(text, { file, env });
  // A probe is over before a token expires, so it needs no time.
  const tokens = clientTokens({ monotonic: () => 0, fetch: meteredFetch });
  const place = { searchPath: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", cwd, tokens };
  const probed = await Promise.all(servers.map((config) => probe(config, { place, stepMs, signal })));
  signal.throwIfAborted();
  return { problems, servers: probed };
}

interface Attempt {
  readonly place: Parameters<typeof connectServer>[1];
  readonly stepMs: number;
  readonly signal: AbortSignal;
}

async function probe(config: ServerConfig, attempt: Attempt): Promise<ProbedServer> {
  const first = await attemptOf(config, attempt, false);
  // Some servers exit when they are asked for the newer protocol.
  return first.ok || attempt.signal.aborted ? first : attemptOf(config, attempt, true);
}

async function attemptOf(config: ServerConfig, { place, stepMs, signal }: Attempt, legacy: boolean): Promise<ProbedServer> {
  let connection: Connection | null = null;
  let session: McpSession | null = null;
  const ignore = (): void => undefined;
  try {
    connection = await connectServer(config, place);
    session = await openSession({
      transport: connection.transport,
      legacy,
      stepMs,
      signal,
      onClosed: ignore,
      onToolsChanged: ignore,
      onError: ignore,
    });
    const listed = await session.listTools(signal);
    return { name: config.name, ok: true, protocol: session.protocolVersion, ...toolsOf(config, listed) };
  } catch (error) {
    const words = connection?.lastWords() ?? "";
    const why = endedBecause(error, connection?.problem() ?? null, words === "" ? (connection?.hint() ?? "") : `it said: ${words}`);
    return { name: config.name, ok: false, problem: why };
  } finally {
    await session?.close();
  }
}

type Listed = Pick<Extract<ProbedServer, { ok: true }>, "tools" | "leftOut">;

function toolsOf(config: ServerConfig, listed: Awaited<ReturnType<McpSession["listTools"]>>): Listed {
  const { named, refused } = mapNames(
    config.name,
    listed.map(({ name }) => name),
  );
  const registered = toolset({ name: "mcp", tools: [] });
  const tools: ProbedTool[] = [];
  const leftOut = refused.flatMap(([typed, originals]) =>
    originals.map((original) => ({ original, reason: `Another tool of the server would also be "${typed}".` })),
  );
  for (const [name, original] of named) {
    const tool = listed.find((one) => one.name === original);
    if (!tool) continue;
    const fingerprint = fingerprintOf(config.address, tool);
    const { policy } = policyOf(config, { tool: original, fingerprint, wholeServer: "" });
    const { kind = "write" } = policy;
    try {
      // The toolset judges the definition as in the bridge. Nothing calls the handler.
      const draft = foreignDefinition({ config, tool, typed: name, fingerprint, policy });
      registered.register({ kind: "compute", draft, run: () => null });
      tools.push({ name, original, kind, tier: policy.tier ?? (kind === "write" ? "high" : "low"), fingerprint });
    } catch (error) {
      leftOut.push({ original, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { tools, leftOut };
}
