import {
  type Declared,
  declared,
  type DeclaredQuery,
  declaredQuery,
  type Json,
  NO_FIELDS,
  type ProblemCode,
  type Role,
} from "@toolbus/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiKeys, Principal } from "./api-keys.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { HttpProblem } from "./problem.ts";
import type { RateLimit } from "./rate-limit.ts";

/** Who may call a route. There is no default: a route without it stops the service when it starts. */
export type Access = "public" | readonly Role[];

/** What a route answers on success. */
export interface AnswerDocs {
  readonly says: string;
  /** Absent: no JSON. */
  readonly body?: Pick<Declared<unknown>, "name" | "schema">;
  readonly example?: Json;
  /** `application/json` by default. */
  readonly type?: string;
  /** Other parts of this type's description, as members of the OpenAPI media type. */
  readonly media?: { readonly [member: string]: Json };
  /** Schemas that get a name in the description, wherever they stand in it: in `media`, in each other, in other answers. */
  readonly schemas?: readonly Pick<Declared<unknown>, "name" | "schema">[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that the API's description says about the route; its schemas are the ones that check requests. */
export interface RouteDocs {
  /** Unique in a service: client generators name their functions after it. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** What the `:id` of the address is. */
  readonly id?: { readonly says: string; readonly pattern: string; readonly example: string };
  readonly query?: DeclaredQuery<unknown>;
  /** Request headers that it reads. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: {
    readonly declared: Pick<Declared<unknown>, "name" | "schema">;
    readonly required: boolean;
    readonly examples: readonly Json[];
  };
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  /** In addition to those that every route of its kind can answer. */
  readonly problems: readonly ProblemCode[];
}

/** A route in the form for the server and the API's description; `getRoute`, `postRoute` and `deleteRoute` make them. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** In Fastify's form: `/v1/runs/:id`. */
  readonly url: string;
  readonly access: Access;
  readonly docs: RouteDocs;
  /** Another way to identify a caller without `Authorization` on this route. Null if the caller is unknown. */
  readonly credential?: (request: FastifyRequest, keys: ApiKeys) => Promise<Principal | null>;
  /** Also answers while the server stops. */
  readonly whileStopping?: boolean;
  /** Public, because it needs no key; its handler identifies the caller by the `webhook-signature` over the body, and refuses everybody else. */
  readonly signed?: true;
  /** Limits the rate of its callers. */
  readonly limited?: boolean;
  /** On public routes the principal is nobody. A returned value is sent as JSON; `undefined` if the handler answered by itself. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply, principal: Principal) => Promise<unknown>;
}

/** What a handler gets. */
export interface Incoming {
  readonly principal: Principal;
  /** The `:id` of the address, unchanged. */
  readonly id: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Definition extends Pick<Route, "url" | "access" | "credential" | "whileStopping"> {
  readonly docs: Omit<RouteDocs, "query" | "body">;
}

export interface GetDefinition<Q> extends Definition {
  /** `noQuery` if it accepts none. Unknown parameters are refused. */
  readonly query: DeclaredQuery<Q>;
  readonly handle: (incoming: Incoming & { readonly query: Q }) => Promise<unknown>;
}

export interface PostDefinition<B> extends Definition {
  /** `noBody` if it accepts none. */
  readonly body: BodyDefinition<B>;
  /** What its callers may do per minute; null for no limit. */
  readonly rate: RateLimit | null;
  readonly handle: (incoming: Incoming & { readonly body: B; readonly key: string | undefined }) => Promise<unknown>;
}

export interface DeleteDefinition extends Definition {
  readonly handle: (incoming: Incoming) => Promise<unknown>;
}

export interface BodyDefinition<B> {
  readonly declared: Declared<B>;
  /** Whether a request must have a body. If not, `{}` is checked in place of an absent one. */
  readonly required: boolean;
  readonly examples: readonly Json[];
  /** What to send instead of a body that does not match its schema. */
  readonly remedy: string;
}

/** For a route without parameters in its query. */
export const noQuery: DeclaredQuery<object> = declaredQuery("NoQuery", NO_FIELDS);

/** For a route whose POST needs only its address. An empty body counts as missing, whatever its declared type. */
export const noBody: BodyDefinition<object> = {
  declared: declared("NoBody", NO_FIELDS),
  required: false,
  examples: [],
  remedy: "Send none.",
};

/** Declares a GET. The query is checked before the handler runs. */
export function getRoute<Q>({ query, handle, docs, ...route }: GetDefinition<Q>): Route {
  return {
    ...route,
    method: "GET",
    docs: { ...docs, ...(query.parameters.length > 0 ? { query } : {}) },
    handle: async (request, reply, principal) =>
      handle({ principal, id: idOf(request), request, reply, query: checked(query, request.query, "The query breaks its schema.") }),
  };
}

/** Declares a POST. Its key and its body are checked, then the request is counted in its caller's minute, and then the handler runs. */
export function postRoute<B>({ body, rate, handle, docs, ...route }: PostDefinition<B>): Route {
  return {
    ...route,
    method: "POST",
    limited: rate !== null,
    docs: { ...docs, ...(body === noBody ? {} : { body }) },
    async handle(request, reply, principal) {
      checked(noQuery, request.query, "This route accepts no query.");
      const incoming = { principal, id: idOf(request), request, reply, key: idempotencyKey(request), body: bodyOf(body, request.body) };
      if (rate) await takeOne(rate, principal, reply);
      return handle(incoming);
    },
  };
}

/** Declares a DELETE, which accepts neither query nor body. Repeating it changes nothing (RFC 9110), so it needs no key. */
export function deleteRoute({ handle, ...route }: DeleteDefinition): Route {
  return {
    ...route,
    method: "DELETE",
    async handle(request, reply, principal) {
      checked(noQuery, request.query, "This route accepts no query.");
      return handle({ principal, id: idOf(request), request, reply });
    },
  };
}

/** The `:id` of a request's address, unchanged. */
export function idOf({ params }: Pick<FastifyRequest, "params">): string {
  return typeof params === "object" && params !== null && "id" in params ? String(params.id) : "";
}

function checked<T>({ parse }: Pick<Declared<T>, "parse">, value: unknown, detail: string, remedy = "Fix what errors lists."): T {
  const parsed = parse(value);
  if (!parsed.ok) throw new HttpProblem("invalid_request", detail, { remedy, errors: parsed.problems });
  return parsed.value;
}

function bodyOf<B>({ declared: { parse }, required, remedy }: BodyDefinition<B>, given: unknown): B {
  const empty = given === undefined || given === null;
  if (empty && required) throw new HttpProblem("malformed_body", "The body is empty, JSON is needed.", { remedy });
  return checked({ parse }, empty ? {} : given, "The body breaks its schema.", remedy);
}

async function takeOne(rate: RateLimit, principal: Principal, reply: FastifyReply): Promise<void> {
  const { granted, remaining, resetMs } = await rate.take(principal);
  const seconds = String(Math.max(1, Math.ceil(resetMs / 1000)));
  // draft-ietf-httpapi-ratelimit-headers-10
  const headers = {
    "ratelimit-policy": `"${rate.name}";q=${rate.perMinute};w=60`,
    ratelimit: `"${rate.name}";r=${remaining};t=${seconds}`,
  };
  reply.headers(headers);
  if (granted) return;
  throw new HttpProblem(
    "rate_limited",
    `This principal may ${rate.words} a minute.`,
    { remedy: `Repeat the request in ${seconds} s.` },
    { ...headers, "retry-after": seconds },
  );
}
