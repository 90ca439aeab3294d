import { parseArgs } from "node:util";
import type { OpenRouterOptions } from "./open-router.ts";

/** Where the server listens. Standard input and output need no address. */
export type Listening = "stdio" | { readonly host: string; readonly port: number; readonly token: string | undefined };

export interface Settings {
  readonly api: OpenRouterOptions;
  readonly listening: Listening;
}

export const USAGE = `Usage: npx node examples/openrouter-mcp/src/main.ts [--http] [--host ADDRESS] [--port N]

  --http           serve Streamable HTTP at /mcp instead of standard input and output
  --host ADDRESS   where to listen (127.0.0.1); any other address than loopback needs OPENROUTER_MCP_TOKEN
  --port N         where to listen (4030; 0 takes a free one)

  OPENROUTER_API_KEY          the key for get_credits, get_api_key_info, list_models and get_generation
  OPENROUTER_MANAGEMENT_KEY   the key for list_api_keys and get_api_key; get_credits and list_models use it too
  OPENROUTER_BASE_URL         the address of the API (https://openrouter.ai/api/v1)
  OPENROUTER_MCP_TOKEN        the bearer token that clients must send over HTTP`;

/** Reads flags and environment. Returns one sentence about the first fault, which contains no key. */
export function readSettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly ok: true; readonly value: Settings | "help" } | { readonly ok: false; readonly message: string } {
  let flags;
  try {
    flags = parseArgs({
      args: [...args],
      strict: true,
      options: {
        http: { type: "boolean", default: false },
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "4030" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
  if (flags.help) return { ok: true, value: "help" };
  const { OPENROUTER_BASE_URL: base = "https://openrouter.ai/api/v1" } = env;
  const [apiKey, managementKey, token] = [env["OPENROUTER_API_KEY"], env["OPENROUTER_MANAGEMENT_KEY"], env["OPENROUTER_MCP_TOKEN"]].map(
    (value) => (value?.trim() ? value.trim() : undefined),
  );
  if (apiKey === undefined && managementKey === undefined)
    return fault("Neither OPENROUTER_API_KEY nor OPENROUTER_MANAGEMENT_KEY is set: set at least one of them.");
  for (const [name, value] of [["OPENROUTER_API_KEY", apiKey] as const, ["OPENROUTER_MANAGEMENT_KEY", managementKey] as const])
    if (value !== undefined && !/^[\x21-\x7e]{8,}$/.test(value))
      return fault(`${name} is no key: set it to the key that OpenRouter shows once.`);
  const url = URL.canParse(base) ? new URL(base) : null;
  if (!url || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))))
    return fault("OPENROUTER_BASE_URL must be an https:// address, because each request carries a key.");
  if (!/^\d{1,5}$/.test(flags.port) || Number(flags.port) > 65_535)
    return fault(`--port must be a number from 0 to 65535, not "${flags.port.slice(0, 40)}".`);
  if (flags.http && !isLoopback(flags.host) && (token?.length ?? 0) < MIN_TOKEN)
    return fault(
      `--host ${flags.host.slice(0, 80)} can be reached from other machines: set OPENROUTER_MCP_TOKEN to at least ${MIN_TOKEN} characters, or listen on 127.0.0.1.`,
    );
  return {
    ok: true,
    value: {
      api: { baseUrl: base.replace(/\/+$/, ""), apiKey, managementKey },
      listening: flags.http ? { host: flags.host, port: Number(flags.port), token } : "stdio",
    },
  };
}

const MIN_TOKEN = 16;

/** Returns whether only this machine can reach this address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function fault(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
