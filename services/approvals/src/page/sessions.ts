import { createHmac, hash } from "node:crypto";
import { HOME_SHARD, keys as storeKeys, parsePageSession } from "@toolbus/contracts";
import type { ApiKeys, Principal } from "@toolbus/runtime";
import type { SealedStore } from "../sealed/sealed-store.ts";

/** A person who is signed in on the page. The rights are those of the person's API key now. */
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
  /** Returns the session, or null if it is over. It is over after 8 hours, and when its API key was removed, has expired or was replaced. */
  find(secret: string): Promise<Session | null>;
  /** Ends the session. */
  end(secret: string): Promise<void>;
}

export interface SessionsOptions {
  readonly sealed: SealedStore;
  readonly keys: ApiKeys;
  readonly random: (bytes: number) => Uint8Array;
}

export const SESSION_MS = 8 * 3_600_000;

export function createSessions({ sealed, keys, random }: SessionsOptions): Sessions {
  return {
    async begin({ keyId, id: principal, tenant }) {
      const keyMark = keys.markOf(keyId);
      if (keyMark === null) throw new Error(`The API key ${keyId} was removed while its owner signed in.`);
      const secret = Buffer.from(random(32)).toString("base64url");
      const key = nameOf(secret);
      const { now } = await sealed.read([key]);
      const expiresAt = now + SESSION_MS;
      const value = { keyId, keyMark, principal, tenant, createdAt: now, expiresAt };
      const change = { op: `begin:${key}`, guards: [{ key, version: 0 }], put: [{ key, value, expiresAt }] };
      const { outcome } = await sealed.store.commit(HOME_SHARD, change);
      if (outcome !== "ok") throw new Error(`A new session could not be stored: ${outcome}.`);
      return secret;
    },
    async find(secret) {
      if (!SECRET.test(secret)) return null;
      const { now, documents } = await sealed.read([nameOf(secret)]);
      const opened = documents[0]?.opened;
      // A document that approvals did not seal is no session.
      const stored = opened?.kind === "genuine" ? parsePageSession(opened.value) : null;
      if (!stored?.ok || now >= stored.value.expiresAt) return null;
      const { keyId, keyMark, principal: id, tenant } = stored.value;
      const principal = keys.named(keyId);
      if (principal?.id !== id || principal.tenant !== tenant || keys.markOf(keyId) !== keyMark) return null;
      return {
        principal,
        formToken: (purpose) => createHmac("sha256", secret).update(`toolbus-form\n${purpose}`).digest("base64url"),
      };
    },
    async end(secret) {
      if (!SECRET.test(secret)) return;
      const key = nameOf(secret);
      const { documents } = await sealed.read([key]);
      const stored = documents[0]?.stored;
      if (!stored) return;
      // If the commit is stale, another request has ended the session.
      await sealed.store.commit(HOME_SHARD, { op: `end:${key}`, guards: [{ key, version: stored.version }], remove: [key] });
    },
  };
}

/** The form of a cookie's secret. Anything else needs no look at the store. */
const SECRET = /^[\w-]{43}$/;

function nameOf(secret: string): string {
  return storeKeys.pageSession(hash("sha256", `toolbus-session\n${secret}`, "base64url"));
}
