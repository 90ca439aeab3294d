import { createHash } from "node:crypto";
import { compileSchema, isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** Returns one line for each fault of a document. It checks our own rules, and those rules of OpenAPI 3.1 that can be checked without a network. */
export function faultsOf(document: JsonObject): readonly string[] {
  const first = [...ofRoot(document), ...ofReferences(document)];
  // If a reference leads nowhere, its schema cannot be compiled, so the other rules are not checked.
  if (first.length > 0) return first;
  return [
    ...ofIds(document),
    ...operations(document).flatMap((operation) => ofOperation(document, operation)),
    ...webhooks(document).flatMap((webhook) => ofWebhook(document, webhook)),
  ];
}

/** One route of a document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly about: JsonObject;
}

export function operations(document: JsonObject): readonly Operation[] {
  return operationsOf(document["paths"]);
}

/** Returns the webhooks, which are requests that a service sends itself. The path of a webhook is the type of its event. */
function webhooks(document: JsonObject): readonly Operation[] {
  return operationsOf(document["webhooks"]);
}

function operationsOf(paths: Json | undefined): readonly Operation[] {
  return entries(paths).flatMap(([path, item]) =>
    entries(item).map(([method, about]) => ({ method, path, about: isJsonObject(about) ? about : {} })),
  );
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const ROOT = ["openapi", "info", "servers", "tags", "paths", "components", "security", "webhooks", "externalDocs", "jsonSchemaDialect"];
const OPERATION = ["operationId", "tags", "summary", "description", "security", "parameters", "requestBody", "responses", "deprecated"];

function ofRoot(document: JsonObject): readonly string[] {
  const { openapi, info, paths } = document;
  const faults: string[] = [];
  if (openapi !== "3.1.0") faults.push(`openapi is ${textOf(openapi)}`);
  if (!isJsonObject(info) || !isText(info["title"]) || !isText(info["version"])) faults.push("info lacks its title or version");
  if (!isJsonObject(paths)) faults.push("there are no paths");
  for (const [name] of entries(document)) if (!ROOT.includes(name)) faults.push(`${name} is no field of a document`);
  for (const tag of list(document["tags"]))
    if (!isText(child(tag, "description"))) faults.push(`the tag ${textOf(child(tag, "name"))} is not described`);
  for (const [name] of entries(child(document, "components", "schemas")))
    if (!/^[\w.-]+$/.test(name)) faults.push(`${name} is no name of a component`);
  return faults;
}

function ofReferences(document: JsonObject): readonly string[] {
  return [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    .map(([, reference = ""]) => reference)
    .filter((reference) => !reference.startsWith("#/") || child(document, ...reference.slice(2).split("/")) === undefined)
    .map((reference) => `${reference} leads nowhere`);
}

function ofIds(document: JsonObject): readonly string[] {
  const ids = [...operations(document), ...webhooks(document)].map(({ about }) => about["operationId"] ?? null);
  return ids.filter((id, i) => ids.indexOf(id) !== i || !isOperationId(id)).map((id) => `${textOf(id)} is no operationId of its own`);
}

function isOperationId(id: Json): boolean {
  return typeof id === "string" && /^[a-z][A-Za-z]+$/.test(id);
}

function ofOperation(document: JsonObject, operation: Operation): readonly string[] {
  const { method, path, about } = operation;
  const faults = [...ofAny(document, operation), ...ofAccess(document, about), ...ofParameters(path, about), ...ofResponses(about)];
  return faults.map((fault) => `${method} ${path} ${fault}`);
}

/** Checks a webhook. Its responses are those of the receiver, so the rules for our problem documents do not apply to them. */
function ofWebhook(document: JsonObject, webhook: Operation): readonly string[] {
  const { method, path, about } = webhook;
  const faults = [
    ...ofAny(document, webhook),
    ...(list(about["security"]).length > 0 ? ofSecurity(document, about) : ["does not say how it is signed"]),
    ...ofParameters("", about),
    ...(isJsonObject(about["requestBody"]) ? [] : ["has no body"]),
    ...entries(about["responses"]).flatMap(([status, response]) => [
      ...(/^(?:[1-5](?:\d\d|XX)|default)$/.test(status) ? [] : [`answers ${status}`]),
      ...(isText(child(response, "description")) ? [] : [`does not describe its ${status}`]),
    ]),
    ...(entries(about["responses"]).some(([status]) => status.startsWith("2")) ? [] : ["never succeeds"]),
  ];
  return faults.map((fault) => `webhook ${path} ${method} ${fault}`);
}

function ofAny(document: JsonObject, { method, about }: Operation): readonly string[] {
  return [
    ...(METHODS.includes(method) ? [] : ["is no method"]),
    ...entries(about).flatMap(([name]) => (OPERATION.includes(name) ? [] : [`has the unknown field ${name}`])),
    ...(isText(about["summary"]) && isText(about["description"]) ? [] : ["is not described"]),
    ...ofTags(document, about),
    ...bodies(about).flatMap(([where, content]) => ofContent(document, content).map((fault) => `${where}: ${fault}`)),
  ];
}

function ofTags(document: JsonObject, about: JsonObject): readonly string[] {
  const declared = list(document["tags"]).map((tag) => (isJsonObject(tag) ? tag["name"] : null));
  const tags = list(about["tags"]);
  if (tags.length === 0) return ["has no tag"];
  return tags.flatMap((tag) => (declared.includes(tag) ? [] : [`has the undeclared tag ${textOf(tag)}`]));
}

function schemesOf(about: JsonObject): readonly string[] {
  return list(about["security"]).flatMap((requirement) => entries(requirement).map(([name]) => name));
}

function ofSecurity(document: JsonObject, about: JsonObject): readonly string[] {
  const unknown = schemesOf(about).filter((name) => child(document, "components", "securitySchemes", name) === undefined);
  return unknown.map((name) => `needs the unknown credential ${name}`);
}

function ofAccess(document: JsonObject, about: JsonObject): readonly string[] {
  if (!Array.isArray(about["security"])) return ["does not say who may call it"];
  const answers = entries(about["responses"]).map(([status]) => status);
  const guarded = schemesOf(about).length > 0;
  return [
    ...ofSecurity(document, about),
    ...(guarded === answers.includes("401") && guarded === answers.includes("403")
      ? []
      : ["answers 401 and 403 although it is public, or does not although it is not"]),
  ];
}

function ofParameters(path: string, about: JsonObject): readonly string[] {
  const parameters = list(about["parameters"]).filter(isJsonObject);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = parameters.filter((parameter) => parameter["in"] === "path");
  return [
    ...(JSON.stringify(inPath) === JSON.stringify(declared.map((parameter) => parameter["name"]))
      ? []
      : ["declares other parameters than its path has"]),
    ...declared.flatMap((parameter) => (parameter["required"] === true ? [] : ["has an optional parameter in its path"])),
    ...parameters.flatMap((parameter) => {
      const { name, in: where, schema, description, example } = parameter;
      if (!isText(name) || !["path", "query", "header", "cookie"].includes(textOf(where)))
        return ["has a parameter without a name or a place"];
      if (!isJsonObject(schema) || !isText(description)) return [`does not describe ${textOf(name)}`];
      return example === undefined
        ? []
        : compileSchema(schema)(example).map(({ message }) => `has an example of ${textOf(name)} that ${message}`);
    }),
  ];
}

function ofResponses(about: JsonObject): readonly string[] {
  const responses = entries(about["responses"]);
  const good = responses.filter(([status]) => status.startsWith("2"));
  return [
    ...(good.length > 0 ? [] : ["never succeeds"]),
    ...responses.flatMap(([status, response]) => {
      if (!/^[1-5]\d\d$/.test(status)) return [`answers ${status}`];
      if (!isJsonObject(response) || !isText(response["description"])) return [`does not describe its ${status}`];
      const types = entries(response["content"]).map(([type]) => type);
      if (status >= "400" && status !== "503" && types.join() !== "application/problem+json") return [`answers ${status} with no problem`];
      return [];
    }),
  ];
}

/** Returns the content of the request and of each response. Each comes with words that say where it is. */
function bodies(about: JsonObject): readonly (readonly [string, Json | undefined])[] {
  const responses = entries(about["responses"]).map(([status, response]) => [`its ${status}`, child(response, "content")] as const);
  return [["its body", child(about["requestBody"], "content")], ...responses];
}

function ofContent(document: JsonObject, content: Json | undefined): readonly string[] {
  const { components = {} } = document;
  return entries(content).flatMap(([type, media]) => {
    const schema = child(media, "schema");
    if (schema === undefined) return [`${type} has no schema`];
    const check = compiled(schema, components);
    const named = entries(child(media, "examples")).map(([name, example]) => [name, child(example, "value")] as const);
    const single = child(media, "example");
    const all = single === undefined ? named : [...named, ["example", single] as const];
    return all.flatMap(([name, value]) =>
      check(structuredClone(value)).map(({ path, message }) => `${name} breaks the schema: ${path} ${message}`),
    );
  });
}

const digests = new WeakMap<object, string>();
const checks = new Map<string, ReturnType<typeof compileSchema>>();

/**
 * Compiles a schema. The result is cached for all documents with the same components, because the documents of the tests differ mostly in their
 * paths.
 */
function compiled(schema: Json, named: Json): ReturnType<typeof compileSchema> {
  const parts = isJsonObject(named) ? named : {};
  const digest = digests.get(parts) ?? createHash("sha256").update(JSON.stringify(parts)).digest("base64");
  digests.set(parts, digest);
  const key = digest + JSON.stringify(schema);
  const check = checks.get(key) ?? compileSchema({ allOf: [schema], components: parts });
  checks.set(key, check);
  return check;
}

/** Returns the member that these names lead to, each escaped as in a JSON Pointer. Returns undefined if the member does not exist. */
export function child(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  return isJsonObject(value) ? child(value[name.replaceAll("~1", "/").replaceAll("~0", "~")], ...rest) : undefined;
}

function entries(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a string unchanged and any other value as JSON. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const isText = (value: Json | undefined): boolean => typeof value === "string" && value !== "";
