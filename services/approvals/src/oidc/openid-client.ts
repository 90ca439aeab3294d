import type { ResolveName } from "@toolbus/runtime";
import * as client from "openid-client";
import { guardedFetch, PROVIDER_WITHIN_MS, ProviderUnreached } from "./guarded-fetch.ts";
import { type OidcClient, OidcFault } from "./oidc-client.ts";
import type { OidcProvider } from "./oidc-file.ts";

export interface OpenIdClientOptions {
  readonly provider: OidcProvider;
  /** Returns the milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly resolve?: ResolveName | undefined;
}

/**
 * Returns the client of a provider. It asks for the provider's endpoints when somebody first signs in, so that approvals starts while the provider is
 * down. The library fetches the provider's keys, and fetches them again when a token names an unknown key.
 */
export function openIdClient({ provider, monotonic, resolve }: OpenIdClientOptions): OidcClient {
  const { issuer, clientId, clientSecret, scopes, personClaim, groupsClaim, allowed } = provider;
  const wanted = [personClaim, groupsClaim, ...(personClaim === "email" ? ["email_verified"] : [])];
  let known: { readonly config: Promise<client.Configuration>; readonly until: number } | null = null;
  return {
    async addressFor({ redirectUri, state, nonce, verifier }) {
      const config = await configuration();
      const challenge = await client.calculatePKCECodeChallenge(verifier);
      const parameters = { redirect_uri: redirectUri, scope: scopes.join(" "), state, nonce };
      return client.buildAuthorizationUrl(config, { ...parameters, code_challenge: challenge, code_challenge_method: "S256" }).href;
    },
    async claimsFor(returned, { redirectUri, state, nonce, verifier }) {
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      try {
        // The address of the request may be that of a proxy, but its parameters are the provider's.
        const answer = await client.authorizationCodeGrant(config, new URL(redirectUri + returned.search), checks);
        const claims = answer.claims();
        if (!claims) throw new OidcFault("refused", "its answer has no ID token");
        const lacks = wanted.some((name) => claims[name] === undefined) && config.serverMetadata().userinfo_endpoint !== undefined;
        return lacks ? { ...(await client.fetchUserInfo(config, answer.access_token, claims.sub)), ...claims } : claims;
      } catch (error) {
        throw faultOf(error);
      }
    },
  };

  /** Returns the endpoints of the provider. A failure is remembered for a moment, so that impatient clicks do not flood a provider that is down. */
  async function configuration(): Promise<client.Configuration> {
    const now = monotonic();
    if (known && now < known.until) return known.config;
    const config = discovered();
    known = { config, until: now + ENDPOINTS_KEPT_MS };
    config.catch(() => (known = { config, until: monotonic() + FAILURE_KEPT_MS }));
    return config;
  }

  async function discovered(): Promise<client.Configuration> {
    const isLocal = issuer.protocol === "http:";
    try {
      return await client.discovery(issuer, clientId, { [client.clockTolerance]: 30 }, authenticated(clientSecret), {
        [client.customFetch]: guardedFetch({ allowed, resolve }),
        timeout: PROVIDER_WITHIN_MS / 1000,
        // By the specification, TLS to the token endpoint may replace the check of the ID token's signature. We check the signature.
        execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
      });
    } catch (error) {
      throw new OidcFault("unusable", faultOf(error).why);
    }
  }
}

const ENDPOINTS_KEPT_MS = 3_600_000;
const FAILURE_KEPT_MS = 2000;

/** Authenticates with the secret in the way that the provider accepts. The default of the specification is HTTP Basic. */
function authenticated(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** Returns the fault of a sign-in. It has only codes and our own sentences, because texts of the provider or of the library may contain parts of a token. */
function faultOf(error: unknown): OidcFault {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OidcFault) return cause;
    if (cause instanceof ProviderUnreached) return new OidcFault("unusable", cause.message);
  }
  const { code, error: word } = (error ?? {}) as { readonly code?: unknown; readonly error?: unknown };
  const codes = [code, word].filter((one): one is string => typeof one === "string" && /^\w{1,60}$/.test(one));
  return new OidcFault("refused", codes.length === 0 ? "an unknown fault" : codes.join(", "));
}
