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

/** The callers that may use a route. There is no default. A service does not start if one of its routes does not state its callers. */
export type Access = "public" | readonly Role[];

/** A route's answer on success. */
export interface AnswerDocs {
  readonly says: string;
  /** The schema of the JSON body. Absent if the answer is not JSON. */
  readonly body?: Pick<Declared<unknown>, "name" | "schema">;
  readonly example?: Json;
  /** The media type, by default `application/json`. */
  readonly type?: string;
  /** More members of the OpenAPI description of this media type. */
  readonly media?: { readonly [member: string]: Json };
  /**
   * Schemas that get a name in the API's description. The description refers to the name wherever the schema appears, such as in `media` or in other
   * answers.
   */
  readonly schemas?: readonly Pick<Declared<unknown>, "name" | "schema">[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** The route's part of the API's description. The server checks requests with the same schemas. */
export interface RouteDocs {
  /** The id of the route, unique in a service. Client generators name their functions after it. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The meaning and the form of `:id` in the address. */
  readonly id?: { readonly says: string; readonly pattern: string; readonly example: string };
  readonly query?: DeclaredQuery<unknown>;
  /** The request headers that the route reads. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: {
    readonly declared: Pick<Declared<unknown>, "name" | "schema">;
    readonly required: boolean;
    readonly examples: readonly Json[];
  };
  readonly answers: Readonly<Record<number, AnswerDocs>>;
  /** The problems that the route can answer in addition to those of every route of its kind. */
  readonly problems: readonly ProblemCode[];
}

/** A route for the server and for the API's description. `getRoute`, `postRoute` and `deleteRoute` make it. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** The address in Fastify's form, such as `/v1/runs/:id`. */
  readonly url: string;
  readonly access: Access;
  readonly docs: RouteDocs;
  /** Identifies a caller who sends no `Authorization` to this route. Resolves to null if the caller is unknown. */
  readonly credential?: (request: FastifyRequest, keys: ApiKeys) => Promise<Principal | null>;
  /** Whether the route also answers while the server stops. */
  readonly whileStopping?: boolean;
  /**
   * Set on a public route whose handler checks a signature over the body instead of a key: the `webhook-signature`, or the signature of Slack. The
   * handler refuses every other request.
   */
  readonly signed?: true | "slack";
  /** Set on a signed route that receives a form instead of JSON. Its handler reads the form from the text of the body. */
  readonly form?: true;
  /**
   * Set on a route for browsers, which answers HTML. It reads forms instead of JSON and identifies its callers only by `credential`, never by
   * `Authorization`. The function renders its refusals. The description of the API does not contain the route.
   */
  readonly page?: RenderProblem;
  /** Whether the route limits the rate of its callers. */
  readonly limited?: boolean;
  /**
   * Handles a request. On public routes the principal is empty. The server sends the returned value as JSON. The handler returns `undefined` if it
   * has already sent the answer.
   */
  readonly handle: (request: FastifyRequest, reply: FastifyReply, principal: Principal) => Promise<unknown>;
}

/** Renders a refusal for a browser. */
export type RenderProblem = (problem: HttpProblem, request: FastifyRequest) => ProblemPage;

export interface ProblemPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** The input of a handler. */
export interface Incoming {
  readonly principal: Principal;
  /** The `:id` of the address, without any change. */
  readonly id: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Definition extends Pick<Route, "url" | "access" | "credential" | "page" | "whileStopping"> {
  readonly docs: Omit<RouteDocs, "query" | "body">;
}

export interface GetDefinition<Q> extends Definition {
  /** The query's schema, or `noQuery` if the route accepts none. The server refuses unknown parameters. */
  readonly query: DeclaredQuery<Q>;
  readonly handle: (incoming: Incoming & { readonly query: Q }) => Promise<unknown>;
}

export interface PostDefinition<B> extends Definition {
  /** The body's schema, or `noBody` if the route needs none. */
  readonly body: BodyDefinition<B>;
  /** The limit for each caller per minute. Null means no limit. */
  readonly rate: RateLimit | null;
  readonly handle: (incoming: Incoming & { readonly body: B; readonly key: string | undefined }) => Promise<unknown>;
}

export interface DeleteDefinition extends Definition {
  readonly handle: (incoming: Incoming) => Promise<unknown>;
}

export interface BodyDefinition<B> {
  readonly declared: Declared<B>;
  /** Whether a request must have a body. If not, the server checks `{}` in place of a missing body. */
  readonly required: boolean;
  readonly examples: readonly Json[];
  /** The remedy for a body that does not match its schema. */
  readonly remedy: string;
}

/** The query of a route without query parameters. */
export const noQuery: DeclaredQuery<object> = declaredQuery("NoQuery", NO_FIELDS);

/** The body of a POST that needs only its address. The server treats an empty body as missing, whatever its declared type is. */
export const noBody: BodyDefinition<object> = {
  declared: declared("NoBody", NO_FIELDS),
  required: false,
  examples: [],
  remedy: "Send none.",
};

/** Declares a GET. The server checks the query before the handler runs. */
export function getRoute<Q>({ query, handle, docs, ...route }: GetDefinition<Q>): Route {
  return {
    ...route,
    method: "GET",
    docs: { ...docs, ...(query.parameters.length > 0 ? { query } : {}) },
    handle: async (request, reply, principal) =>
      handle({ principal, id: idOf(request), request, reply, query: checked(query, request.query, "The query breaks its schema.") }),
  };
}

/** Declares a POST. The server checks the idempotency key and the body, then the rate limit, and then runs the handler. */
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

/** Declares a DELETE without query or body. A repeated DELETE changes nothing (RFC 9110), so it needs no idempotency key. */
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

/** Returns the `:id` of a request's address, without any change. */
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
  // These headers follow draft-ietf-httpapi-ratelimit-headers-10.
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
