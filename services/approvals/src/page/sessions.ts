import { createHmac, hash } from "node:crypto";
import { HOME_SHARD, keys as storeKeys, type PageSession, parsePageSession } from "@toolbus/contracts";
import type { ApiKeys, Principal } from "@toolbus/runtime";
import type { OidcIdentity } from "../oidc/oidc-person.ts";
import type { SealedStore } from "../sealed/sealed-store.ts";
import { FLOW_MS } from "./sign-in-flow.ts";

/** A person who is signed in on the page. The rights are those of the person's API key or groups now. */
export interface Session {
  readonly principal: Principal;
  /** Returns the token of the forms for this purpose, such as an approval. Only a page of this session has it. */
  formToken(purpose: string): string;
}

/**
 * The sessions of the page. A session is a document in the store, so that it survives restarts and every replica knows it, and so that it is over
 * everywhere when the person signs out. The document has only the hash of the cookie's secret.
 */
export interface Sessions {
  /** Begins a session for the owner of an API key and returns the secret for the cookie. */
  begin(principal: Principal): Promise<string>;
  /**
   * Begins a session for a person who signed in at the provider. `flow` identifies this sign-in. Returns null if the sign-in has begun a session
   * before.
   */
  beginOnce(principal: Principal, identity: OidcIdentity, flow: string): Promise<string | null>;
  /**
   * Returns the session, or null if it is over. A session is over after 8 hours, when its API key was removed, has expired or was replaced, and when
   * the mapping of the provider's groups gives the person no role or another name.
   */
  find(secret: string): Promise<Session | null>;
  /** Ends the session. */
  end(secret: string): Promise<void>;
}

/** The provider whose people may have sessions. */
export interface SessionProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Returns the rights of a person now, or null if the person has none. */
  principalOf(identity: OidcIdentity): Principal | null;
}

export interface SessionsOptions {
  readonly sealed: SealedStore;
  /** The API keys with which people may sign in, or null if nobody may sign in with a key. */
  readonly keys: ApiKeys | null;
  readonly provider: SessionProvider | null;
  readonly random: (bytes: number) => Uint8Array;
}

export const SESSION_MS = 8 * 3_600_000;

export function createSessions({ sealed, keys, provider, random }: SessionsOptions): Sessions {
  return {
    async begin(principal) {
      const { keyId } = principal;
      const keyMark = keys?.markOf(keyId) ?? null;
      if (keyMark === null) throw new Error(`The API key ${keyId} was removed while its owner signed in.`);
      const secret = await stored(principal, { keyId, keyMark });
      if (secret === null) throw new Error("A new session could not be stored: stale.");
      return secret;
    },
    async beginOnce(principal, { person, providerGroups }, flow) {
      if (provider === null) throw new Error("Approvals has no provider.");
      const { issuer, clientId } = provider;
      return stored(principal, { issuer, clientId, person, providerGroups: [...providerGroups] }, storeKeys.usedSignIn(flow));
    },
    async find(secret) {
      if (!SECRET.test(secret)) return null;
      const { now, documents } = await sealed.read([nameOf(secret)]);
      const opened = documents[0]?.opened;
      // A document that approvals did not seal is no session.
      const read = opened?.kind === "genuine" ? parsePageSession(opened.value) : null;
      if (!read?.ok || now >= read.value.expiresAt) return null;
      const { principal: id, tenant } = read.value;
      const principal = ownerOf(read.value);
      if (principal?.id !== id || principal.tenant !== tenant) return null;
      return {
        principal,
        formToken: (purpose) => createHmac("sha256", secret).update(`toolbus-form\n${purpose}`).digest("base64url"),
      };
    },
    async end(secret) {
      if (!SECRET.test(secret)) return;
      const key = nameOf(secret);
      const { documents } = await sealed.read([key]);
      const found = documents[0]?.stored;
      if (!found) return;
      // If the commit is stale, another request has ended the session.
      await sealed.store.commit(HOME_SHARD, { op: `end:${key}`, guards: [{ key, version: found.version }], remove: [key] });
    },
  };

  /** Stores a new session. Returns null if the mark `once` is already stored. */
  async function stored({ id: principal, tenant }: Principal, origin: Origin, once?: string): Promise<string | null> {
    const secret = Buffer.from(random(32)).toString("base64url");
    const key = nameOf(secret);
    const { now } = await sealed.read([key]);
    const expiresAt = now + SESSION_MS;
    const session = { key, value: { ...origin, principal, tenant, createdAt: now, expiresAt }, expiresAt };
    // Nobody accepts the cookie of the sign-in for longer than the mark is stored.
    const marks = once === undefined ? [] : [{ key: once, value: { usedAt: now }, expiresAt: now + FLOW_MS }];
    const put = [session, ...marks];
    const { outcome } = await sealed.store.commit(HOME_SHARD, {
      op: `begin:${key}`,
      guards: put.map((one) => ({ key: one.key, version: 0 })),
      put,
    });
    if (outcome === "stale" && once !== undefined) return null;
    if (outcome !== "ok") throw new Error(`A new session could not be stored: ${outcome}.`);
    return secret;
  }

  /** Returns the person of a session with the present rights, or null if the key or the groups with which the session began no longer count. */
  function ownerOf(session: PageSession): Principal | null {
    if ("keyId" in session) return keys?.markOf(session.keyId) === session.keyMark ? keys.named(session.keyId) : null;
    if (provider?.issuer !== session.issuer || provider.clientId !== session.clientId) return null;
    return provider.principalOf(session);
  }
}

/** What a session began with. */
type Origin =
  | { readonly keyId: string; readonly keyMark: string }
  | { readonly issuer: string; readonly clientId: string; readonly person: string; readonly providerGroups: string[] };

/** The form of a cookie's secret. For any other text, the store is not read. */
const SECRET = /^[\w-]{43}$/;

function nameOf(secret: string): string {
  return storeKeys.pageSession(hash("sha256", `toolbus-session\n${secret}`, "base64url"));
}
