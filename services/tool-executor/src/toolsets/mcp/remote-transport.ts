import {
  type AuthProvider,
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ClientToken } from "./client-token.ts";
import { closedWhenLost } from "./closed-when-lost.ts";
import type { ServerAddress } from "./mcp-config.ts";
import { MAX_LINE_BYTES } from "./stdio-transport.ts";

/**
 * Returns a transport over Streamable HTTP, or over the older HTTP with server-sent events. The length of a line is limited, and redirects must stay
 * on the origin. With `auth`, each request has its token, and a refused request is sent once more with a new one.
 */
export function remoteTransport(
  { kind, url, headers }: Extract<ServerAddress, { readonly url: string }>,
  auth: ClientToken | undefined,
): Transport {
  const options = { requestInit: { headers: { ...headers } }, ...(auth === undefined ? { fetch: meteredFetch } : withToken(auth)) };
  return closedWhenLost(
    kind === "sse" ? new SSEClientTransport(new URL(url), options) : new StreamableHTTPClientTransport(new URL(url), options),
  );
}

/** Notes which token each answer is about, because the SDK does not say which of its tokens the server refused. */
function withToken(auth: ClientToken): { readonly fetch: FetchLike; readonly authProvider: AuthProvider } {
  const tokens = new WeakMap<Response, string>();
  return {
    fetch: async (url, init) => {
      const response = await meteredFetch(url, init);
      const token = /^Bearer (.+)$/.exec(new Headers(init?.headers).get("authorization") ?? "")?.[1];
      if (token !== undefined) tokens.set(response, token);
      return response;
    },
    authProvider: {
      token: () => auth.token(),
      onUnauthorized: (context) => auth.onUnauthorized(context, tokens.get(context.response)),
    },
  };
}

/** Fetches an answer whose lines have at most `MAX_LINE_BYTES`. */
export const meteredFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const metered = new Response(response.body.pipeThrough(lineMeter()), { status, statusText, headers });
  // The SDK reads these properties, but the constructor cannot set them.
  Object.defineProperty(metered, "url", { value: response.url });
  Object.defineProperty(metered, "redirected", { value: response.redirected });
  return metered;
};

/** Ends the stream with an error at a line of more than `MAX_LINE_BYTES`. A line is a whole answer in JSON, or one line of an event. */
function lineMeter(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const last = chunk.lastIndexOf(10);
      const first = chunk.indexOf(10);
      if (bytes + (first === -1 ? chunk.length : first) > MAX_LINE_BYTES) {
        controller.error(new Error(`The server sent a line of more than ${MAX_LINE_BYTES / 1024 / 1024} MiB.`));
        return;
      }
      bytes = last === -1 ? bytes + chunk.length : chunk.length - last - 1;
      controller.enqueue(chunk);
    },
  });
}
