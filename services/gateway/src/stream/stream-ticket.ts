import { createHash } from "node:crypto";
import { isRunId, keys, parseStreamTicket, shardOf, type StreamTicket } from "@toolbus/contracts";
import { type ApiKeys, idOf, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";
import { keyHashOf } from "../inbound/request-hash.ts";

// A browser's EventSource cannot send an Authorization header, but it sends the cookies of its own origin. So a ticket is a cookie. It is useless on
// any other path and invisible to scripts. It is in no address and so in no log. The reasons are in docs/decisions/0020.
const COOKIE = "toolbus-stream";

export interface IssuedTicket {
  readonly expiresAt: number;
  /** The `Set-Cookie` header. The secret is sent in no other way, and the store has only its hash. */
  readonly cookie: string;
}

export interface TicketRequest {
  readonly runId: string;
  readonly principal: Principal;
  /** The request's `Origin` header. */
  readonly origin: string | undefined;
  /** The request's `Idempotency-Key`. */
  readonly key: string | undefined;
}

/** Gives the principal a ticket for the stream of this run. Each `Idempotency-Key` has one ticket, so a repeat replaces the earlier one. */
export async function issueTicket({ state, config, random }: Gateway, request: TicketRequest): Promise<IssuedTicket> {
  const { runId, principal, origin } = request;
  const secret = Buffer.from(random(32)).toString("base64url");
  const key = keys.streamTicket(runId, hashOf(secret));
  const keyHash = keyHashOf(principal, request.key);
  // This key is never the key of a ticket, because the hash of a secret never begins with `key:`.
  const note = keyHash === undefined ? null : keys.streamTicket(runId, `key:${keyHash}`);
  const { now, documents } = await state.read(note === null ? [] : [note]);
  const before = documents[0] ?? null;
  const ticket: StreamTicket = { runId, tenant: principal.tenant, principal: principal.id, keyId: principal.keyId, createdAt: now };
  const expiresAt = now + config.STREAM_TICKET_MS;
  const { outcome } = await state.commit(shardOf(runId), {
    op: `ticket:${key}`,
    guards: [{ key, version: 0 }, ...(note === null ? [] : [{ key: note, version: before?.version ?? 0 }])],
    put: [{ key, value: ticket, expiresAt }, ...(note === null ? [] : [{ key: note, value: key, expiresAt }])],
    remove: typeof before?.value === "string" ? [before.value] : [],
  });
  if (outcome !== "ok") throw new Error(`The ticket was not stored: ${outcome}.`);
  // A browser would drop a Secure cookie over plain HTTP, as on a developer's machine.
  const secure = origin?.startsWith("http://") ? "" : "; Secure";
  const maxAge = Math.floor(config.STREAM_TICKET_MS / 1000);
  return { expiresAt, cookie: `${COOKIE}=${secret}; Path=/v1/runs/${runId}/events; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}` };
}

/** Returns the principal whose ticket for this run is in the request, with the current rights of its key. Returns null without a valid ticket. */
export async function ticketHolder(state: StateStore, request: FastifyRequest, apiKeys: ApiKeys): Promise<Principal | null> {
  const runId = idOf(request);
  const secret = cookieIn(request);
  // Cookies do not distinguish ports. So a page of another program on this host can make the browser send this cookie. `Sec-Fetch-Site`, which the
  // browser sets itself, shows that.
  const site = request.headers["sec-fetch-site"] ?? "same-origin";
  if (secret === null || site !== "same-origin" || !isRunId(runId)) return null;
  const { documents } = await state.read([keys.streamTicket(runId, hashOf(secret))]);
  const ticket = documents[0] && parseStreamTicket(documents[0].value);
  if (!ticket?.ok) return null;
  const principal = apiKeys.named(ticket.value.keyId);
  return principal?.id === ticket.value.principal && principal.tenant === ticket.value.tenant ? principal : null;
}

function cookieIn({ headers }: FastifyRequest): string | null {
  const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : null;
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
