import {
  isJsonObject,
  type Json,
  type JsonObject,
  serverPart,
  type Tier,
  TIERS,
  type ToolKind,
  type Trust,
  TRUST,
} from "@toolbus/contracts";
import { oauthOf, type OAuthClient } from "./oauth-config.ts";
import { Fault, short } from "./config-fault.ts";
import { type Sandbox, sandboxOf } from "./sandbox-config.ts";

/** An operator's settings for a tool, or for all tools of a server. The default is a write of tier high that is never repeated. */
export interface ToolPolicy {
  readonly kind?: ToolKind;
  readonly tier?: Tier;
  readonly idempotency?: "none" | "key";
  readonly timeoutMs?: number;
  /** How far the results can be trusted. The default is `untrusted`. */
  readonly trust?: Trust;
  /** The fingerprint of the tool's definition, or of all definitions of the server. A read is accepted only with a fingerprint. */
  readonly fingerprint?: string;
}

/** The address of a server. */
export type ServerAddress =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** The sandbox in which the server runs. Without it, the server has the rights of the bridge's user. */
      readonly sandbox?: Sandbox;
      /** True if each replica of the bridge runs its own. Otherwise only the replica with the lease runs it. */
      readonly perReplica?: true;
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** If it is present, each request has a token. The fingerprint of a tool does not depend on it. */
      readonly oauth?: OAuthClient;
    };

export interface ServerConfig {
  readonly name: string;
  readonly address: ServerAddress;
  readonly policy: ToolPolicy;
  /** The settings of single tools, by the server's own names for them. */
  readonly tools: Readonly<Record<string, ToolPolicy>>;
}

export interface McpConfig {
  /** Whether the file as a whole could be read. If it could not, `problems` says why. */
  readonly whole: boolean;
  readonly servers: readonly ServerConfig[];
  /** A sentence for each server that is left out. It names the server, says what to do, and quotes no value. */
  readonly problems: readonly string[];
}

/**
 * Reads a file in the form of `mcp.json`. A bad entry yields a problem, and the other servers are served. `${VAR}` and `${VAR:-default}` in commands,
 * arguments, environment, URLs and headers are taken from `env`. A file that is not JSON, or has no `mcpServers`, yields no servers and one problem.
 */
export function parseMcpConfig(text: string, { file, env }: { readonly file: string; readonly env: Environment }): McpConfig {
  let read: Json;
  try {
    read = JSON.parse(text);
  } catch (error) {
    const where = error instanceof SyntaxError ? / at position \d+( \(line \d+ column \d+\))?/.exec(error.message)?.[0] : undefined;
    return { whole: false, servers: [], problems: [`${file} is not JSON${where ?? ""}: correct it there.`] };
  }
  const entries = isJsonObject(read) ? read["mcpServers"] : undefined;
  if (entries === undefined || !isJsonObject(entries))
    return { whole: false, servers: [], problems: [`${file} has no "mcpServers": write {"mcpServers": {"name": {"command": "…"}}}.`] };
  const servers: ServerConfig[] = [];
  const problems: string[] = doubledNames(text, Object.keys(entries)).map(
    (name) => `The MCP server "${short(name)}" is in ${file} twice: give one of them another name.`,
  );
  const doubled = new Set(doubledNames(text, Object.keys(entries)));
  for (const [name, entry] of Object.entries(entries)) {
    if (doubled.has(name)) continue;
    try {
      const server = serverOf(name, entry, env);
      const same = servers.find((other) => serverPart(other.name) === serverPart(name));
      if (same) throw new Fault(`has the same name in snake case as "${short(same.name)}": give one of them another name`);
      if (server) servers.push(server);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(`The MCP server "${short(name)}" in ${file} ${error.message}.`);
    }
  }
  return { whole: true, servers, problems };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the entry of a server. Returns null for a server that is switched off. */
function serverOf(name: string, entry: Json, env: Environment): ServerConfig | null {
  if (name.trim() === "" || name.length > 100) throw new Fault("needs a name of 1 to 100 characters");
  if (!isJsonObject(entry)) throw new Fault('is not an object: write {"command": "…"} or {"url": "…"}');
  if (entry["disabled"] === true) return null;
  const { policy, tools } = policiesOf(entry["toolbus"]);
  return { name, address: addressOf(entry, env), policy, tools };
}

function addressOf(entry: JsonObject, env: Environment): ServerAddress {
  const { command, url, type } = entry;
  if (command !== undefined && url !== undefined) throw new Fault('has a "command" and a "url": keep one of them');
  if (command !== undefined) {
    if (typeof command !== "string" || command.trim() === "") throw new Fault('has an empty "command": name the program that starts it');
    if (entry["oauth"] !== undefined) throw new Fault('has a "command" and "oauth": only a server with a "url" gets tokens');
    if (type !== undefined && type !== "stdio") throw new Fault('has a "command" and a "type" other than "stdio": leave "type" out');
    const { args = [], cwd } = entry;
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) throw new Fault('needs "args" as a list of texts');
    if (cwd !== undefined && typeof cwd !== "string") throw new Fault('needs "cwd" as a text');
    const { perReplica = false } = entry;
    if (typeof perReplica !== "boolean") throw new Fault('needs "perReplica" as true or false');
    const sandbox = sandboxOf(entry["sandbox"], (text, place) => filled(text, env, place));
    return {
      kind: "stdio",
      command: filled(command, env, "command"),
      args: args.map((arg) => filled(arg, env, "args")),
      env: textsOf(entry["env"], env, "env"),
      ...(cwd === undefined ? {} : { cwd: filled(cwd, env, "cwd") }),
      ...(sandbox === null ? {} : { sandbox }),
      ...(perReplica ? { perReplica } : {}),
    };
  }
  if (url === undefined) throw new Fault('has neither "command" nor "url": name the program that starts it, or where it listens');
  if (typeof url !== "string") throw new Fault('needs "url" as a text');
  if (entry["sandbox"] !== undefined && entry["sandbox"] !== false)
    throw new Fault('has a "url" and a "sandbox": the bridge does not start this server, so take "sandbox" out');
  const address = filled(url, env, "url");
  if (!/^https?:$/.test(URL.parse(address)?.protocol ?? ""))
    throw new Fault('has a "url" that is not an address: write it as https://host/mcp');
  const headers = textsOf(entry["headers"], env, "headers");
  const oauth = oauthOf(entry["oauth"], { filled: (text, place) => filled(text, env, place), fault: (sentence) => new Fault(sentence) });
  if (oauth && Object.keys(headers).some((name) => name.toLowerCase() === "authorization"))
    throw new Fault('has "oauth" and a header "Authorization": keep one of them');
  return { kind: remoteKind(type), url: address, headers, ...(oauth === undefined ? {} : { oauth }) };
}

function remoteKind(type: Json | undefined): "http" | "sse" {
  switch (type) {
    case undefined:
    case "http":
    case "streamable-http":
    case "streamableHttp":
      return "http";
    case "sse":
      return "sse";
    default:
      throw new Fault('has an unknown "type": write "http" or "sse", or leave it out');
  }
}

function textsOf(value: Json | undefined, env: Environment, word: string): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw new Fault(`needs "${word}" as an object of texts`);
  return Object.fromEntries(
    Object.entries(value).map(([key, text]) => {
      if (typeof text !== "string") throw new Fault(`needs "${word}.${short(key)}" as a text`);
      return [key, filled(text, env, `${word}.${short(key)}`)];
    }),
  );
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}/g;

/** Returns the variables that a file of MCP servers takes from the environment of the bridge. */
export function variablesOf(text: string): readonly string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map(([, name = ""]) => name))];
}

/** Replaces the variables in a text. A value of the environment is inserted unchanged, and never expanded again. */
function filled(text: string, env: Environment, place: string): string {
  return text.replace(VARIABLE, (_, name: string, __, otherwise: string | undefined) => {
    const value = env[name] || otherwise;
    if (value === undefined)
      throw new Fault(`needs the variable ${name} in "${place}", which is not set: set ${name}, or write \${${name}:-…} with a default`);
    return value;
  });
}

const KINDS: readonly ToolKind[] = ["read", "compute", "write"];
const POLICY_WORDS: ReadonlySet<string> = new Set(["kind", "tier", "idempotency", "timeoutMs", "trust", "fingerprint"]);

function policiesOf(value: Json | undefined): { readonly policy: ToolPolicy; readonly tools: Readonly<Record<string, ToolPolicy>> } {
  if (value === undefined) return { policy: {}, tools: {} };
  if (!isJsonObject(value)) throw new Fault('needs "toolbus" as an object');
  const { tools = {}, ...own } = value;
  if (!isJsonObject(tools)) throw new Fault('needs "toolbus.tools" as an object, by the names of its tools');
  return {
    policy: policyOf(own, "toolbus"),
    tools: Object.fromEntries(Object.entries(tools).map(([tool, one]) => [tool, policyOf(one, `toolbus.tools.${short(tool)}`)])),
  };
}

/** Reads the settings of a tool or a server. An unknown word is refused, because an operator may believe that it is a guard. */
function policyOf(value: Json, place: string): ToolPolicy {
  if (!isJsonObject(value)) throw new Fault(`needs "${place}" as an object`);
  const unknown = Object.keys(value).find((word) => !POLICY_WORDS.has(word));
  if (unknown !== undefined) throw new Fault(`has an unknown word "${short(unknown)}" in "${place}": use ${[...POLICY_WORDS].join(", ")}`);
  const { timeoutMs, fingerprint } = value;
  const kind = oneOf(KINDS, value["kind"], `${place}.kind`);
  const tier = oneOf(TIERS, value["tier"], `${place}.tier`);
  const idempotency = oneOf(["none", "key"] as const, value["idempotency"], `${place}.idempotency`);
  const trust = oneOf(TRUST, value["trust"], `${place}.trust`);
  if (timeoutMs !== undefined && (!Number.isInteger(timeoutMs) || Number(timeoutMs) < 1 || Number(timeoutMs) > 600_000))
    throw new Fault(`needs "${place}.timeoutMs" as whole milliseconds up to 600000`);
  if (fingerprint !== undefined && (typeof fingerprint !== "string" || !/^[0-9a-f]{32}$/.test(fingerprint)))
    throw new Fault(`needs "${place}.fingerprint" as 32 digits, as the log and "toolbus tools show" give them`);
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(tier === undefined ? {} : { tier }),
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(trust === undefined ? {} : { trust }),
    ...(typeof fingerprint === "string" ? { fingerprint } : {}),
  };
}

function oneOf<T extends string>(known: readonly T[], value: Json | undefined, place: string): T | undefined {
  if (value === undefined) return undefined;
  const found = known.find((one) => one === value);
  if (found === undefined) throw new Fault(`needs "${place}" as one of ${known.join(", ")}`);
  return found;
}

/** Returns the names that occur more than once. `JSON.parse` keeps only the last of two members with the same name, but a person means both. */
function doubledNames(text: string, names: readonly string[]): readonly string[] {
  const counts = topLevelServerNames(text);
  return names.filter((name) => (counts.get(name) ?? 0) > 1);
}

/** Returns how often each name occurs directly in `mcpServers`. The text must be JSON. */
function topLevelServerNames(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const path: string[] = [];
  let key = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") path.push(key);
    else if (token === "}" || token === "]") path.pop();
    else if (token.endsWith(":")) {
      key = String(JSON.parse(token.slice(0, -1)));
      if (path.length === 2 && path[1] === "mcpServers") counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}
