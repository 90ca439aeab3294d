import { createHash } from "node:crypto";
import { isRunId, keys, parseStreamTicket, shardOf, type StreamTicket } from "@toolbus/contracts";
import { type ApiKeys, idOf, type Principal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";
import { keyHashOf } from "../inbound/request-hash.ts";

// A browser's EventSource cannot send an Authorization header. It sends the cookies of its own origin, so a ticket is a cookie: useless on
// any other path, invisible to scripts, in no address and so in no log. For the reasons see docs/decisions/0020.
const COOKIE = "toolbus-stream";

export interface IssuedTicket {
  readonly expiresAt: number;
  /** The `Set-Cookie` header. The secret is sent in no other way; the store has its hash. */
  readonly cookie: string;
}

export interface TicketRequest {
  readonly runId: string;
  readonly principal: Principal;
  /** The request's own header of that name. */
  readonly origin: string | undefined;
  /** Its `Idempotency-Key`. */
  readonly key: string | undefined;
}

/** Gives the principal a ticket for the stream of this run. An `Idempotency-Key` has one ticket: a repeat replaces the earlier one. */
export async function issueTicket({ state, config, random }: Gateway, request: TicketRequest): Promise<IssuedTicket> {
  const { runId, principal, origin } = request;
  const secret = Buffer.from(random(32)).toString("base64url");
  const key = keys.streamTicket(runId, hashOf(secret));
  const keyHash = keyHashOf(principal, request.key);
  // No secret has a hash that begins like this.
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
  // Over plain HTTP, on a developer's machine, a browser would drop a Secure cookie.
  const secure = origin?.startsWith("http://") ? "" : "; Secure";
  const maxAge = Math.floor(config.STREAM_TICKET_MS / 1000);
  return { expiresAt, cookie: `${COOKIE}=${secret}; Path=/v1/runs/${runId}/events; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}` };
}

/** The principal whose ticket for this very run the request carries, with the current rights of its key. Null without a valid one. */
export async function ticketHolder(state: StateStore, request: FastifyRequest, apiKeys: ApiKeys): Promise<Principal | null> {
  const runId = idOf(request);
  const secret = cookieIn(request);
  // Cookies do not distinguish ports: a page of another program on this host can make the browser send one, and the browser's own header
  // shows that.
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
