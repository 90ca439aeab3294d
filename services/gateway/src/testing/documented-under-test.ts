import { compileSchema, type Json, type JsonObject } from "@toolbus/contracts";
import { openApiOf, type Route } from "@toolbus/runtime";

/** The parts of an answer that a test saw. */
export interface SeenAnswer {
  readonly method: string;
  /** The URL with its query. */
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/**
 * Returns a check that throws if an answer differs from the description of its route, in its status, the code of a problem, or the schema of its
 * body. It ignores answers on unknown routes and to other methods of a route.
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
  /** Returns a check that is compiled once, because every test of a route needs it. */
  check(schema: Json): Check;
}

const descriptions = new Map<string, Description>();

/** Tests start hundreds of gateways with the same routes, so their description is made once. */
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
