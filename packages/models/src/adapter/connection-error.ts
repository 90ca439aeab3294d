import { NetworkError } from "../model-errors.ts";
import { type Provider, vendorWords } from "./vendor-words.ts";

/**
 * Converts the error of a client that received no answer, or only a part of one. If the connection is at fault, the function returns a `NetworkError`
 * with the cause in words. Otherwise it returns the error unchanged, because such an error is a bug. It also checks the causes of the error, because
 * clients wrap the system's error.
 */
export function connectionError(error: unknown, provider: Provider): unknown {
  const causes = causesOf(error);
  const isOurs = knownReason(causes) === undefined && !causes.some(isOfTheNetwork);
  if (isOurs) return error;
  const { name, baseUrl, secret } = provider;
  const who = baseUrl === null ? name : `${name} at ${hostOf(baseUrl)}`;
  const broke = causes.some(({ message }) => BROKE.test(message));
  const words = connectionCause(error, secret);
  return new NetworkError(
    broke
      ? `The connection to ${who} broke in the middle of an answer, of which nothing is used: ${words}. The request may be sent again.`
      : `${who} was not reached: ${words}. Check the network${baseUrl === null ? "" : " and LLM_BASE_URL"}; the request may be sent again.`,
    { cause: error },
  );
}

/** Returns the reason why a connection failed or broke, in a few words and without the secret. */
export function connectionCause(error: unknown, secret: string | null): string {
  const causes = causesOf(error);
  return knownReason(causes) ?? `it failed (${vendorWords(causes.at(-1)?.message ?? "no reason given", { secret })})`;
}

function knownReason(causes: readonly Error[]): string | undefined {
  return causes.map((cause) => REASONS[codeOf(cause)] ?? REASONS[cause.name]).find((reason) => reason !== undefined);
}

const BROKE = /^terminated$|truncated event message|premature close/i;

/** The reasons by the code or the name of an error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the other side reset the connection",
  ENOTFOUND: "the name is not known to DNS",
  EAI_AGAIN: "DNS does not answer",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  EPIPE: "the connection is closed",
  EPROTO: "the other side does not speak TLS there",
  ERR_SSL_WRONG_VERSION_NUMBER: "the other side does not speak TLS there",
  HTTPParserError: "the other side does not speak HTTP there",
  HPE_INVALID_CONSTANT: "the other side does not speak HTTP there",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped coming",
  UND_ERR_SOCKET: "the other side closed the connection in the middle",
};

/** Returns the error, its causes, and each error of an aggregate. It stops at a circular chain. */
function causesOf(error: unknown, seen = new Set<unknown>()): readonly Error[] {
  if (!(error instanceof Error) || seen.has(error)) return [];
  seen.add(error);
  const several = error instanceof AggregateError ? error.errors.flatMap((one) => causesOf(one, seen)) : [];
  return [error, ...several, ...causesOf(error.cause, seen)];
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * Returns true for an error of the network. The first two patterns match the only messages that Node's `fetch` reports for a connection that failed
 * or broke. The other patterns match timeouts and broken streams of clients.
 */
function isOfTheNetwork(error: Error): boolean {
  return (
    (error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message)) ||
    /^(TimeoutError|APIConnectionError|APIConnectionTimeoutError)$/.test(error.name) ||
    /truncated event message|socket hang up|premature close|other side closed|timed ? ?out/i.test(error.message)
  );
}

/** Returns the host of an address, without the credentials that the address may contain. */
function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "the address that is set";
}
