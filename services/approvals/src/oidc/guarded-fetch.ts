import { type AllowedHosts, guardedRequest, type ResolveName, unreached } from "@toolbus/runtime";

/** The error of a provider that cannot be reached. The message has nothing secret. */
export class ProviderUnreached extends Error {
  override readonly name = "ProviderUnreached";
}

/** The parts of a request that `openid-client` makes. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns a `fetch` that calls only public addresses and those that an operator allows, follows no redirect, and reads at most `MOST_BYTES`. The
 * addresses of a provider's keys and endpoints come from the provider, so this `fetch` checks each address.
 */
export function guardedFetch({ allowed, resolve }: { readonly allowed: AllowedHosts; readonly resolve?: ResolveName | undefined }) {
  return async (address: string, { method, headers, body, signal = AbortSignal.timeout(PROVIDER_WITHIN_MS) }: Asked): Promise<Response> => {
    const url = new URL(address);
    if (method !== "GET" && method !== "POST") throw new ProviderUnreached(`a request with ${method} is not allowed`);
    try {
      const sent = method === "POST" && body !== undefined && body !== null ? { body: textOf(body) } : {};
      const answer = await guardedRequest({ method, url, headers, ...sent, allowed, signal, readUpTo: MOST_BYTES, resolve });
      if (answer.status >= 500) throw new ProviderUnreached(`${url.host}: it answered ${answer.status}`);
      const type = answer.headers["content-type"];
      const given = typeof type === "string" ? { "content-type": type } : {};
      return new Response(NO_BODY.has(answer.status) ? null : answer.text, { status: answer.status, headers: given });
    } catch (error) {
      if (error instanceof ProviderUnreached) throw error;
      throw new ProviderUnreached(`${url.host}: ${unreached(error, signal)}`, { cause: error });
    }
  };
}

/** How long a provider may take to answer one request. */
export const PROVIDER_WITHIN_MS = 10_000;
const MOST_BYTES = 256 * 1024;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new ProviderUnreached("a request with another body than a form is not allowed");
}
