import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { interactionPolicy } from "oidc-provider";
import { answeredByLogin } from "./login-page.ts";
import { memoryAdapter } from "./memory-adapter.ts";

/** The claims of an account, in addition to its `sub`. */
export type OidcAccount = Readonly<Record<string, unknown>>;

/** The only client of the provider. It may be at any port of loopback. */
export const OIDC_CLIENT = { clientId: "toolbus-approvals", clientSecret: "the-secret-of-the-client-0123456789" } as const;

/** The only client that gets tokens for itself, with client credentials. */
export const OIDC_MACHINE = { clientId: "toolbus-bridge", clientSecret: "the-secret-of-the-machine-0123456789" } as const;

export interface OidcServerOptions {
  /** The accounts by their `sub`. */
  readonly accounts: Readonly<Record<string, OidcAccount>>;
  /** The name of this machine in the issuer, by default `127.0.0.1`. A browser takes different names for different sites. */
  readonly name?: "127.0.0.1" | "localhost";
  /** Whether the claims are only at the UserInfo endpoint and not in the ID token. */
  readonly thinTokens?: boolean;
  /** Changes the claims of each ID token. The provider signs the changed token with its key. */
  readonly forge?: (claims: OidcAccount) => OidcAccount;
  /** Changes the text of each ID token, after it was signed. */
  readonly tamper?: (token: string) => string;
  /** How long a token of `OIDC_MACHINE` is valid, in seconds, by default 600. */
  readonly machineSeconds?: number;
}

/** A running provider. */
export interface OidcServer {
  readonly issuer: string;
  /** Host and port of the issuer. */
  readonly host: string;
  /** The method and the path of each request that the provider received. */
  readonly requests: readonly string[];
  /** Whether a token is one that `OIDC_MACHINE` got from this provider, and is still valid. */
  accepts(token: string): Promise<boolean>;
  /** Makes the provider answer every request with an error, or normally again. */
  down(isDown: boolean): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The signing key of every provider of this process, because making one takes long. */
let key: KeyObject | undefined;

/** Starts a provider on a free port of loopback. */
export async function startOidcServer(options: OidcServerOptions): Promise<OidcServer> {
  const requests: string[] = [];
  let isDown = false;
  key ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `${options.name ?? "127.0.0.1"}:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const provider = providerAt(issuer, key, options);
  const answer = provider.callback();
  server.on("request", (request, reply) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    if (isDown) return void reply.writeHead(500).end();
    void answeredByLogin(provider, request, reply).then((done) => (done ? undefined : answer(request, reply)));
  });
  return {
    issuer,
    host,
    requests,
    accepts: async (token) => (await provider.ClientCredentials.find(token)) !== undefined,
    down: (now) => (isDown = now),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const KEY_ID = "the-key-of-the-provider";
const CLAIMS = { groups: ["groups"], email: ["email", "email_verified"] } as const;

function providerAt(issuer: string, key: KeyObject, options: OidcServerOptions): Provider {
  const { accounts, thinTokens = false, forge, tamper, machineSeconds = 600 } = options;
  const policy = interactionPolicy.base();
  // The client is a native one only because these may use any port of loopback.
  policy.get("consent")?.checks.remove("native_client_prompt");
  const provider = new Provider(issuer, {
    adapter: memoryAdapter(),
    clients: [
      {
        client_id: OIDC_CLIENT.clientId,
        client_secret: OIDC_CLIENT.clientSecret,
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/sign-in/oidc/callback"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
      {
        client_id: OIDC_MACHINE.clientId,
        client_secret: OIDC_MACHINE.clientSecret,
        redirect_uris: [],
        grant_types: ["client_credentials"],
        response_types: [],
        scope: "tools",
      },
    ],
    jwks: { keys: [{ ...key.export({ format: "jwk" }), kid: KEY_ID, alg: "RS256", use: "sig" }] },
    cookies: { keys: ["a-key-for-the-cookies-of-the-provider"] },
    scopes: ["openid", "tools"],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: "tools", accessTokenTTL: machineSeconds, accessTokenFormat: "opaque" }),
      },
    },
    interactions: { policy, url: (_context, { uid }) => `/login/${uid}` },
    claims: { openid: ["sub"], groups: [...CLAIMS.groups], email: [...CLAIMS.email] },
    conformIdTokenClaims: thinTokens,
    pkce: { required: () => true },
    ttl: {
      Interaction: 600,
      Session: 600,
      Grant: 600,
      AccessToken: 600,
      IdToken: 600,
      AuthorizationCode: 60,
      ClientCredentials: machineSeconds,
    },
    findAccount: (_context, sub) => {
      const account = Object.hasOwn(accounts, sub) ? accounts[sub] : undefined;
      return account && { accountId: sub, claims: async () => ({ ...account, sub }) };
    },
    // The people of the tests have agreed that the client reads their claims.
    async loadExistingGrant({ oidc }) {
      const { client, account } = oidc;
      if (!client || !account) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId });
      grant.addOIDCScope(`openid ${Object.keys(CLAIMS).join(" ")}`);
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const body: unknown = context.body;
    if (context.path !== "/token" || !hasToken(body)) return;
    const forged = forge ? signed(forge(claimsOf(body.id_token)), key) : body.id_token;
    context.body = { ...body, id_token: tamper ? tamper(forged) : forged };
  });
  return provider;
}

function hasToken(body: unknown): body is { readonly id_token: string } {
  return typeof body === "object" && body !== null && "id_token" in body && typeof body.id_token === "string";
}

function claimsOf(token: string): OidcAccount {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as OidcAccount;
}

function signed(claims: OidcAccount, key: KeyObject): string {
  const head = [{ alg: "RS256", kid: KEY_ID, typ: "JWT" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${head}.${sign("sha256", Buffer.from(head), key).toString("base64url")}`;
}
