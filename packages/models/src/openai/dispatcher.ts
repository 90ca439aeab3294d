import { globalAgent } from "node:http";
import { createRequire } from "node:module";
import type * as Undici from "undici";

// If the package's main module is loaded first, Node's own `fetch` uses its dispatcher in the whole process. So only the classes are loaded (undici
// 8.12.4).
const load = createRequire(import.meta.url);

/**
 * Returns a dispatcher that sends requests to one origin over HTTP/1.1, with as many connections as requests are in flight. It has no limit of time but
 * that for a connection. It uses the proxies of the environment if Node's own client does.
 */
export function openDispatcher(origin: string, connectMs: number): Undici.Dispatcher {
  // With HTTP/2, all answers would share the window of one connection.
  const options = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, connectTimeout: connectMs };
  if (usesProxy()) {
    // A tunnel needs methods that only the main module gives its classes. Node has set its own dispatcher for the proxy when it started.
    const { EnvHttpProxyAgent } = load("undici") as typeof Undici;
    return new EnvHttpProxyAgent(options);
  }
  const Pool = load("undici/lib/dispatcher/pool.js") as typeof Undici.Pool;
  return new Pool(origin, options);
}

// The types of Node 24.19 do not have the options of an agent.
/** Returns true if `NODE_USE_ENV_PROXY` or `--use-env-proxy`, wherever it was set, makes Node's own client use the proxies of the environment. */
function usesProxy(): boolean {
  const { options } = globalAgent as unknown as { readonly options?: { readonly proxyEnv?: unknown } };
  return options?.proxyEnv !== undefined;
}
