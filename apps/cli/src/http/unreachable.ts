import { SELF } from "../toolbus/self.ts";

export interface Asked {
  readonly url: string;
  /** The service that the request was for. `health` means the health port of any service. */
  readonly service: "gateway" | "approvals" | "health";
  readonly timeoutMs: number;
}

/** Returns a sentence that says why a request got no answer and what to do. */
export function whyUnreachable(error: unknown, { url, service, timeoutMs }: Asked): string {
  const flag = ADDRESS_FLAGS[service];
  const what = NAMES[service];
  const code = codeOf(error);
  if (code === "ECONNREFUSED") {
    return isLoopback(url)
      ? `Nothing listens at ${url}: start Toolbus with "${SELF} start", or name the address of its ${what} with ${flag}.`
      : `Nothing listens at ${url}: check the address of the ${what} (${flag}), and that it runs.`;
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `The host of ${url} is not known: check the address of the ${what} (${flag}).`;
  if (code === "TimeoutError")
    return `${url} did not answer within ${timeoutMs / 1000} s: check whether its ${what} is overloaded, or check ${flag}.`;
  if (/CERT|SELF_SIGNED|TLS|SSL|ISSUER/.test(code)) {
    return `The certificate of ${url} is not accepted (${code}): check the address, or name its authority in NODE_EXTRA_CA_CERTS.`;
  }
  return `The ${what} at ${url} cannot be reached (${code}): check ${flag} and the network, and run the command again.`;
}

/** The flag that names the address of each service. */
export const ADDRESS_FLAGS = { gateway: "--url", approvals: "--approvals-url", health: "--health" } as const;
const NAMES = { gateway: "gateway", approvals: "approvals service", health: "service" } as const;

/** Returns whether an address is a loopback address, so that it can only be on this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Returns the system's error code, which `fetch` hides in the causes of its error. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if (at.name === "TimeoutError") return at.name;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  // Without a code the message is the best description, such as "bad port".
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return deepest instanceof Error ? deepest.message : "unknown";
}
