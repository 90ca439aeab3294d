import type { Incoming, Principal } from "@toolbus/runtime";
import type { OidcIdentity } from "../oidc/oidc-person.ts";
import type { Person } from "./layout.ts";
import { type PagePlace, type PageSettings, placeOf } from "./page-address.ts";
import { SESSION_MS, type Session, type Sessions } from "./sessions.ts";

type Request = Incoming["request"];
type Reply = Incoming["reply"];

/** The session of a request, with the cookie that carries it. */
export interface PageSession {
  /** Identifies the sender of a request by the cookie. Resolves to null if nobody is signed in. */
  readonly credential: (request: Request) => Promise<Principal | null>;
  /** Returns the session of a request that `credential` identified. */
  of(request: Request): Session;
  /** Returns the person of a request, or undefined if nobody was identified. */
  personOf(request: Request): Person | undefined;
  /** Returns the session of a request to a public route, or null if nobody is signed in. */
  find(request: Request): Promise<Session | null>;
  /** Returns whether the request has a cookie of the page, valid or not. */
  hasCookie(request: Request): boolean;
  /** Ends the session of the request, if it has one, and begins a new one. So nobody can give a person a session in advance. */
  begin(request: Request, reply: Reply, principal: Principal): Promise<void>;
  /** Like `begin`, for a person who signed in at the provider. Returns false if this sign-in has begun a session before. */
  beginOnce(request: Request, reply: Reply, principal: Principal, signIn: SignedIn): Promise<boolean>;
  /** Ends the session in the store and in the browser. */
  end(request: Request, reply: Reply): Promise<void>;
  readonly placeOf: (request: Request) => PagePlace;
}

/** A sign-in at the provider: who signed in, and which flow proved it. */
export interface SignedIn {
  readonly identity: OidcIdentity;
  readonly flow: string;
}

export function pageSession(sessions: Sessions, settings: PageSettings): PageSession {
  const found = new WeakMap<Request, Session>();
  const place = (request: Request): PagePlace => placeOf(settings, request.headers.host ?? "");
  const secretIn = (request: Request): string | undefined => request.cookies[place(request).cookie.name];
  const optionsIn = (request: Request) =>
    ({ path: "/", httpOnly: true, sameSite: "strict", secure: place(request).cookie.secure }) as const;
  const self: PageSession = {
    credential: async (request) => (await self.find(request))?.principal ?? null,
    of(request) {
      const session = found.get(request);
      if (!session) throw new Error("The request was not identified by its session.");
      return session;
    },
    personOf(request) {
      const session = found.get(request);
      return session && { name: session.principal.id, form: session.formToken("sign-out") };
    },
    async find(request) {
      const secret = secretIn(request);
      const session = secret === undefined || !place(request).mayCarryKeys ? null : await sessions.find(secret);
      if (session) found.set(request, session);
      return session;
    },
    hasCookie: (request) => secretIn(request) !== undefined,
    begin: async (request, reply, principal) => carry(request, reply, await sessions.begin(principal)),
    async beginOnce(request, reply, principal, { identity, flow }) {
      const secret = await sessions.beginOnce(principal, identity, flow);
      if (secret !== null) await carry(request, reply, secret);
      return secret !== null;
    },
    async end(request, reply) {
      const secret = secretIn(request);
      if (secret !== undefined) await sessions.end(secret);
      reply.clearCookie(place(request).cookie.name, optionsIn(request));
    },
    placeOf: place,
  };
  return self;

  /** Gives the browser a new session and ends the former one. */
  async function carry(request: Request, reply: Reply, secret: string): Promise<void> {
    const before = secretIn(request);
    if (before !== undefined) await sessions.end(before);
    reply.setCookie(place(request).cookie.name, secret, { ...optionsIn(request), maxAge: SESSION_MS / 1000 });
  }
}
