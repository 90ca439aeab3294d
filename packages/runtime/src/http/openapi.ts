import type { Declared, Json, JsonObject, ProblemCode } from "@toolbus/contracts";
import { isJsonObject, problemCodes } from "@toolbus/contracts";
import { HttpProblem } from "./problem.ts";
import type { AnswerDocs, Route } from "./route.ts";

/** The title and the texts of an API's description. */
export interface ApiAbout {
  readonly title: string;
  /** The description, as Markdown paragraphs. */
  readonly description: string;
  /** The description of each tag of routes. The tag of the service's own routes is described in this file. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The messages that the service sends to an operator's targets, by type. */
  readonly webhooks?: Readonly<Record<string, WebhookDocs>>;
}

/** A webhook in an API's description. */
export interface WebhookDocs {
  readonly operationId: string;
  /** The tag of the service's own routes about webhooks. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Pick<Declared<unknown>, "name" | "schema">;
  /** The meaning and the effect of a receiver's answer, by status. */
  readonly answers: Readonly<Record<string, string>>;
}

/** One route in the document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly JsonObject[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly example?: Json;
}

export interface Response {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema?: Json;
  readonly example?: Json;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: Json }>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string; readonly license: JsonObject };
  readonly servers: readonly JsonObject[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<"get" | "post" | "delete", Operation>>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: JsonObject }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>>; readonly securitySchemes: JsonObject };
}

const API_VERSION = "1";
const OWN_TAGS: Readonly<Record<string, string>> = { Service: "Whether the service is alive and accepts requests, and this description." };

/** Returns the description of an API from its routes. It contains exactly the schemas and access rules that apply to requests. */
export function openApiOf({ title, description, tags = {}, webhooks }: ApiAbout, routes: readonly Route[]): OpenApi {
  const names = namedSchemas(routes, Object.values(webhooks ?? {}));
  const byUrl = Map.groupBy(routes, ({ url }) => url.replaceAll(/:(\w+)/g, "{$1}"));
  return {
    openapi: "3.1.0",
    info: { title, version: API_VERSION, description, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(({ docs }) => docs.tag))].map((name) => ({ name, description: tags[name] ?? OWN_TAGS[name] ?? "" })),
    paths: Object.fromEntries(
      [...byUrl].map(([url, here]) => [url, Object.fromEntries(here.map((route) => [methodOf(route), operationOf(route, names)]))]),
    ),
    ...(webhooks
      ? { webhooks: Object.fromEntries(Object.entries(webhooks).map(([type, docs]) => [type, { post: webhookOf(docs, names) }])) }
      : {}),
    components: {
      schemas: {
        ...Object.fromEntries([...names].map(([text, name]) => [name, withRefs(JSON.parse(text), names, text)])),
        Problem: PROBLEM,
      },
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key of this service." },
        ...(webhooks || routes.some(({ signed }) => signed === true) ? { webhookSignature: SIGNATURE } : {}),
        ...(routes.some(({ signed }) => signed === "slack") ? { slackSignature: SLACK_SIGNATURE } : {}),
      },
    },
  };
}

/** Returns every problem that a route can answer: those that it declares, and those of its kind. */
export function problemsOf({ method, access, docs, limited, url, whileStopping }: Route): readonly ProblemCode[] {
  const codes: ProblemCode[] = [
    ...docs.problems,
    "invalid_request",
    "address_too_long",
    "headers_too_large",
    "request_timeout",
    "internal",
  ];
  if (!whileStopping) codes.push("shutting_down");
  if (access !== "public") codes.push("unauthenticated", "forbidden", "rate_limited", "store_unavailable");
  if (url.includes(":id") && access !== "public") codes.push("not_found");
  if (method === "POST") codes.push("malformed_body", "body_too_large", "unsupported_media_type");
  if (limited) codes.push("rate_limited");
  return [...new Set(codes)].toSorted((a, b) => problemCodes[a] - problemCodes[b]);
}

type Names = ReadonlyMap<string, string>;

const methodOf = ({ method }: Route): (typeof METHODS)[Route["method"]] => METHODS[method];
const METHODS = { GET: "get", POST: "post", DELETE: "delete" } as const;

/** Maps the JSON text of each named schema to its name. The description refers to this name wherever the same schema appears. */
function namedSchemas(routes: readonly Route[], webhooks: readonly WebhookDocs[]): Names {
  const declared = routes.flatMap(({ docs }) => [
    docs.body?.declared,
    ...Object.values(docs.answers).flatMap(({ body, schemas = [] }) => [body, ...schemas]),
  ]);
  const sent = webhooks.map(({ body }) => body);
  return new Map([...declared, ...sent].filter((one) => one !== undefined).map(({ name, schema }) => [JSON.stringify(schema), name]));
}

function withRefs(value: Json, names: Names, self?: string): Json {
  const text = JSON.stringify(value);
  const name = text === self ? undefined : names.get(text);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((item: Json) => withRefs(item, names));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(withMapping(value, names)).map(([key, part]) => [key, withRefs(part, names)]));
}

/** Returns a union with a discriminator that lists the schema of each value, because client generators need this mapping. */
function withMapping(schema: JsonObject, names: Names): JsonObject {
  const { discriminator, oneOf } = schema;
  const member = within(discriminator, "propertyName");
  if (!isJsonObject(discriminator) || typeof member !== "string" || !Array.isArray(oneOf)) return schema;
  const mapping = oneOf.flatMap((one: Json) => {
    const value = within(one, "properties", member, "const");
    const name = names.get(JSON.stringify(one));
    return typeof value === "string" && name !== undefined ? [[value, `#/components/schemas/${name}`] as const] : [];
  });
  return { ...schema, discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } };
}

function within(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isJsonObject(value) ? within(value[name], ...rest) : undefined;
}

const schemaIn = (schema: object, names: Names): Json => withRefs(JSON.parse(JSON.stringify(schema)), names);

function operationOf(route: Route, names: Names): Operation {
  const { access, docs, signed, form } = route;
  const open = signed ? "For callers who sign it." : "Open to everybody.";
  const who = access === "public" ? open : `For the role ${access.join(" or ")}.`;
  return {
    operationId: docs.operationId,
    tags: [docs.tag],
    summary: docs.summary,
    description: [docs.description, who].filter(Boolean).join("\n\n"),
    security: signed ? (signed === "slack" ? SIGNED_BY_SLACK : SIGNED) : access === "public" ? [] : [{ apiKey: [] }],
    parameters: parametersOf(route),
    ...(docs.body
      ? {
          requestBody: {
            required: docs.body.required,
            content: {
              [form ? "application/x-www-form-urlencoded" : "application/json"]: {
                schema: schemaIn(docs.body.declared.schema, names),
                ...(form ? {} : { examples: Object.fromEntries(docs.body.examples.map((value, i) => [`example${i + 1}`, { value }])) }),
              },
            },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(Object.entries(docs.answers).map(([status, answer]) => [status, responseOf(answer, names)])),
      ...problemResponses(route),
    },
  };
}

function webhookOf({ operationId, tag, summary, description, headers, body, answers }: WebhookDocs, names: Names): JsonObject {
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SIGNED,
    parameters: Object.entries(headers).map(([name, says]) => ({
      name,
      in: "header",
      required: true,
      description: says,
      schema: { type: "string" },
    })),
    requestBody: { required: true, content: { "application/json": { schema: schemaIn(body.schema, names) } } },
    responses: Object.fromEntries(Object.entries(answers).map(([status, says]) => [status, { description: says }])),
  };
}

function parametersOf({ method, docs }: Route): Parameter[] {
  const parameters: Parameter[] = [];
  if (docs.id)
    parameters.push({
      name: "id",
      in: "path",
      required: true,
      description: docs.id.says,
      schema: { type: "string", pattern: docs.id.pattern },
      example: docs.id.example,
    });
  for (const { name, required, schema } of docs.query?.parameters ?? []) {
    const { description = "", ...rest } = JSON.parse(JSON.stringify(schema)) as { readonly description?: string } & JsonObject;
    parameters.push({ name, in: "query", required, description, schema: rest });
  }
  const headers = { ...(method === "POST" ? { "Idempotency-Key": IDEMPOTENCY } : {}), ...docs.headers };
  for (const [name, description] of Object.entries(headers))
    parameters.push({ name, in: "header", required: false, description, schema: { type: "string", maxLength: 255 } });
  return parameters;
}

const IDEMPOTENCY =
  "Names this request: a repeat with the same key gets the same answer as the first, with `idempotent-replay: true`, and another body with the same key is refused (422).";

function responseOf({ says, body, example, type = "application/json", media, headers }: AnswerDocs, names: Names): Response {
  const content =
    body || media
      ? {
          [type]: {
            ...(body ? { schema: schemaIn(body.schema, names) } : {}),
            ...(example === undefined ? {} : { example }),
            ...(media ? mediaIn(media, names) : {}),
          },
        }
      : undefined;
  return {
    description: says,
    ...(headers ? { headers: headersOf(headers) } : {}),
    ...(content ? { content } : {}),
  };
}

/** Replaces only parts of the schema with references, because the examples are plain values. */
const mediaIn = ({ schema, ...media }: NonNullable<AnswerDocs["media"]>, names: Names): MediaType => ({
  ...media,
  ...(schema === undefined ? {} : { schema: withRefs(schema, names) }),
});

function headersOf(headers: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: "string" } }]));
}

function problemResponses(route: Route): Record<string, Response> {
  const byStatus = Map.groupBy(problemsOf(route), (code) => problemCodes[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const titles = codes.map((code) => `\`${code}\`: ${new HttpProblem(code, "").body().title}.`);
      return [
        String(status),
        {
          description: titles.join(" "),
          ...(status === 429 ? { headers: headersOf({ "Retry-After": "Seconds to wait." }) } : {}),
          content: {
            "application/problem+json": {
              schema: {
                allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { status: { const: status }, code: { enum: codes } } }],
              },
            },
          },
        },
      ];
    }),
  );
}

const SIGNED: JsonObject[] = [{ webhookSignature: [] }];
const SIGNATURE: JsonObject = {
  type: "apiKey",
  in: "header",
  name: "webhook-signature",
  description: "HMAC-SHA256 over the body with a shared secret, as Standard Webhooks defines it.",
};
const SIGNED_BY_SLACK: JsonObject[] = [{ slackSignature: [] }];
const SLACK_SIGNATURE: JsonObject = {
  type: "apiKey",
  in: "header",
  name: "x-slack-signature",
  description: "HMAC-SHA256 over the time and the body with the signing secret of the app, as Slack defines it.",
};

const text = { type: "string" } as const;
const PROBLEM: JsonObject = {
  type: "object",
  description: "An error answer (RFC 9457). Match on `code`; the sentences may change.",
  required: ["type", "title", "status", "code", "detail"],
  properties: {
    type: { ...text, format: "uri" },
    title: text,
    status: { type: "integer" },
    code: { ...text, enum: Object.keys(problemCodes) },
    detail: { ...text, description: "What happened." },
    remedy: { ...text, description: "What to do." },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { ...text, description: "A JSON Pointer into the body, or the name of a parameter." }, message: text },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};
