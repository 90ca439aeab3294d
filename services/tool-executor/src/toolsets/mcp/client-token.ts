import {
  type AuthProvider,
  ClientCredentialsProvider,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  fetchToken,
  InsecureTokenEndpointError,
  InsufficientScopeError,
  OAuthError,
  OAuthErrorCode,
  SdkHttpError,
  selectResourceURL,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { ServerAddress } from "./mcp-config.ts";
import type { OAuthClient } from "./oauth-config.ts";

/** The error for a token that the bridge could not get. Nothing was sent to the server. The message names the place and the remedy, and no secret. */
export class NoToken extends Error {
  override readonly name = "NoToken";
}

/** Returns whether the server refused a request because of its token or scope, so that no tool ran. */
export function isRefusedAccess(error: unknown): boolean {
  return error instanceof UnauthorizedError || error instanceof InsufficientScopeError || isRefusedTwice(error);
}

function isRefusedTwice(error: unknown): boolean {
  return error instanceof SdkHttpError && (error.status === 401 || error.status === 403);
}

type RefusedRequest = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** The tokens of one server. They outlive its connections. */
export interface ClientToken extends AuthProvider {
  token(): Promise<string | undefined>;
  /** Gets a new token, unless the token that the server `refused` is no longer the current one. */
  onUnauthorized(context: RefusedRequest, refused?: string): Promise<void>;
  /** Returns why the last attempt to get a token failed, or null if it succeeded. */
  problem(): string | null;
}

export interface ClientTokenOptions {
  /** The address of the MCP server. */
  readonly url: string;
  readonly client: OAuthClient;
  readonly monotonic: () => number;
  /** The fetch for requests to the authorization server. It must not send the headers of the server's entry. */
  readonly fetch: FetchLike;
  /** The time limit of one request for a token, in milliseconds. */
  readonly stepMs?: number;
}

/** Returns the tokens of a remote server's entry, or undefined if the entry has no client credentials. */
export type ClientTokens = (address: RemoteAddress) => ClientToken | undefined;

type RemoteAddress = Extract<ServerAddress, { readonly url: string }>;

/** Returns the same tokens each time for one entry, so that they outlive a connection. */
export function clientTokens(parts: Pick<ClientTokenOptions, "monotonic" | "fetch">): ClientTokens {
  const kept = new WeakMap<RemoteAddress, ClientToken>();
  return (address) => {
    const { oauth: client, url } = address;
    if (client === undefined) return undefined;
    const token = kept.get(address) ?? clientToken({ ...parts, url, client });
    kept.set(address, token);
    return token;
  };
}

/** A token is replaced this long before it expires. */
const EARLY_MS = 60_000;

/**
 * Gets access tokens with client credentials, and keeps a token until shortly before it expires. All calls share one request for a token. After the
 * server refused a token with 401, the next token is a new one. If the entry does not name the token endpoint, the bridge discovers it (RFC 9728, RFC
 * 8414). An authorization server gets the secret only if the entry names it as `issuer`, or if it has the origin of the MCP server, because the bridge
 * does not trust what a server says.
 */
export function clientToken({ url, client, monotonic, fetch, stepMs = 10_000 }: ClientTokenOptions): ClientToken {
  let current: { readonly token: string; readonly renewAt: number; readonly expiresAt: number } | null = null;
  let under: Promise<void> | null = null;
  let why: string | null = null;
  /** Where the server's last refusal says that it describes itself. It is null before a refusal. */
  let described: { readonly at: URL | undefined } | null = null;

  return {
    async token() {
      const now = monotonic();
      // Without the address of a token endpoint or of its issuer, the server's refusal has to say where the endpoint is.
      const known = client.tokenUrl !== undefined || client.issuer !== undefined || described !== null;
      if (known && (current === null || now >= current.renewAt))
        await renew().catch((error: unknown) => {
          // The old token is still good, so the call need not fail.
          if (current === null || monotonic() >= current.expiresAt) throw error;
        });
      return current?.token;
    },
    async onUnauthorized({ response }, refused) {
      // Another request, refused with the same token, has got a new one since.
      if (refused !== undefined && current !== null && current.token !== refused) return;
      // The scope that the server names is ignored, because a server must not choose what its token permits.
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(response);
      // A description at another origin is not the server's own.
      described = { at: resourceMetadataUrl?.origin === new URL(url).origin ? resourceMetadataUrl : undefined };
      await renew();
    },
    problem: () => why,
  };

  function renew(): Promise<void> {
    return (under ??= renewOnce().finally(() => (under = null)));
  }

  async function renewOnce(): Promise<void> {
    const stop = AbortSignal.timeout(stepMs);
    const limited: FetchLike = (at, init) => fetch(at, { ...init, signal: stop });
    try {
      const { access_token: token, expires_in: seconds, token_type: type } = await requestToken(limited);
      if (type.toLowerCase() !== "bearer") throw new NoToken(`the token endpoint answers with tokens of a type that is not "Bearer"`);
      const expiresAt = seconds === undefined ? Number.POSITIVE_INFINITY : monotonic() + seconds * 1000;
      // A token that lives for less than two minutes is replaced after half of its time.
      const renewAt = expiresAt - Math.min(EARLY_MS, ((seconds ?? 0) * 1000) / 2);
      current = { token, renewAt, expiresAt };
      why = null;
    } catch (error) {
      const problem = error instanceof NoToken ? error : new NoToken(wordsOf(error, stop.aborted ? stepMs : null));
      why = problem.message;
      throw problem;
    }
  }

  async function requestToken(limited: FetchLike): ReturnType<typeof fetchToken> {
    const { clientId, clientSecret, scope, tokenUrl } = client;
    const provider = (expectedIssuer: string): ClientCredentialsProvider =>
      new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer, ...(scope === undefined ? {} : { scope }) });
    const wanted = scope === undefined ? {} : { scope };
    if (tokenUrl !== undefined) {
      const issuer = new URL(tokenUrl).origin;
      const metadata = { issuer, token_endpoint: tokenUrl, authorization_endpoint: tokenUrl, response_types_supported: [] };
      return fetchToken(provider(issuer), issuer, { metadata, ...wanted, fetchFn: limited });
    }
    const at = described?.at;
    const about = await discoverOAuthProtectedResourceMetadata(url, at === undefined ? {} : { resourceMetadataUrl: at }, limited).catch(
      () => undefined,
    );
    const server = issuerFor(about?.authorization_servers?.[0]);
    const metadata = await discoverAuthorizationServerMetadata(server, { fetchFn: limited });
    if (metadata === undefined)
      throw new NoToken(
        `the authorization server ${placeOf(server)} does not say where its token endpoint is: write the address as "tokenUrl" in "oauth"`,
      );
    const from = provider(metadata.issuer);
    const resource = about === undefined ? undefined : await selectResourceURL(url, from, about);
    return fetchToken(from, server, { metadata, ...wanted, ...(resource === undefined ? {} : { resource }), fetchFn: limited });
  }

  /** Returns the authorization server that may get the secret. */
  function issuerFor(said: string | undefined): string {
    if (client.issuer !== undefined) return client.issuer;
    const { origin } = new URL(url);
    if (said === undefined || URL.parse(said)?.origin === origin) return said ?? origin;
    throw new NoToken(
      `the server names the authorization server ${placeOf(said)}, to which no secret is sent: if it is yours, write its address as "issuer" in "oauth"`,
    );
  }

  function wordsOf(error: unknown, lateMs: number | null): string {
    const at = client.tokenUrl ?? client.issuer ?? url;
    if (lateMs !== null) return `no token came from ${placeOf(at)} within ${lateMs} ms: check that the authorization server runs`;
    // The text of the answer is not quoted, because an authorization server may repeat what it was sent.
    if (error instanceof OAuthError) {
      if (error.code === OAuthErrorCode.ServerError) return `the token endpoint for ${placeOf(at)} failed: check the authorization server`;
      const code = /^[a-z_]{1,40}$/.test(error.code) ? error.code : "an unknown error";
      return `the token endpoint for ${placeOf(at)} refused the client (${code}): ${REMEDIES[code] ?? 'check "oauth" of the entry'}`;
    }
    if (error instanceof InsecureTokenEndpointError)
      return `the token endpoint for ${placeOf(at)} has no https:// address, and no secret is sent there: change the address`;
    // This is the text of Node about a connection, which contains no part of a request.
    const cause = error instanceof TypeError && error.cause instanceof Error ? ` (${error.cause.message.slice(0, 200)})` : "";
    return `no token could be had from ${placeOf(at)}${cause}: check that the authorization server runs, and "tokenUrl" or "issuer" in "oauth"`;
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  invalid_client: 'check "clientId" and "clientSecret" in "oauth"',
  unauthorized_client: "allow the client the grant type client_credentials there",
  unsupported_grant_type: "the authorization server has to offer the grant type client_credentials",
  invalid_scope: 'check "scope" in "oauth"',
  invalid_target: "allow the client this MCP server there",
};

/** Returns an address without its user, password and query. */
function placeOf(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname}`.slice(0, 200) : "with an unreadable address";
}
