import { compileSchema, type Json, type JsonObject } from "@toolbus/contracts";
import { openApiOf, type Route } from "@toolbus/runtime";

/** What a test saw of an answer. */
export interface SeenAnswer {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Throws for an answer that the description of its route does not promise: another status, another code of a problem, or a body that breaks its schema.
 * Answers on unknown routes, or to another method of a route, are left alone.
 */
export function documentedBy(routes: readonly Route[]): (seen: SeenAnswer) => void {
  const described = descriptionOf(routes);
  const known = routes.map((route) => ({
    route,
    pattern: new RegExp(`^${route.url.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
  }));
  return ({ method, url, status, type, text }) => {
    const path = url.split("?")[0] ?? "";
    const found = known.find(({ route, pattern }) => route.method === method && pattern.test(path));
    if (!found) return;
    const name = found.route.url.replaceAll(/:(\w+)/g, "{$1}");
    const response = within(described.paths, name, method.toLowerCase(), "responses", String(status));
    if (response === undefined) throw new Error(`${method} ${name} answered ${status}, which it does not document: ${text.slice(0, 200)}`);
    const schema = within(response, "content", type.split(";")[0] ?? "", "schema");
    if (!type.includes("json")) return;
    if (schema === undefined) throw new Error(`${method} ${name} answered ${status} as ${type}, which it does not document.`);
    const faults = described.check(schema)(JSON.parse(text));
    if (faults.length > 0)
      throw new Error(`${method} ${name} answered ${status} with what it does not document: ${JSON.stringify(faults)} ${text}`);
  };
}

type Check = ReturnType<typeof compileSchema>;

interface Description {
  readonly paths: Json | undefined;
  /** Compiled once, because every test of a route needs it. */
  check(schema: Json): Check;
}

const descriptions = new Map<string, Description>();

/** Hundreds of gateways are started with the same routes; their description is made once. */
function descriptionOf(routes: readonly Route[]): Description {
  const key = routes.map(({ method, url }) => `${method} ${url}`).join();
  const known = descriptions.get(key);
  if (known) return known;
  const { paths, components }: JsonObject = JSON.parse(JSON.stringify(openApiOf({ title: "", description: "" }, routes)));
  const checks = new Map<string, Check>();
  const description: Description = {
    paths,
    check(schema) {
      const text = JSON.stringify(schema);
      const check = checks.get(text) ?? compileSchema({ allOf: [schema], components });
      checks.set(text, check);
      return check;
    },
  };
  descriptions.set(key, description);
  return description;
}

function within(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  const [name, ...rest] = names;
  if (name === undefined) return value;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? within((value as JsonObject)[name], ...rest) : undefined;
}
