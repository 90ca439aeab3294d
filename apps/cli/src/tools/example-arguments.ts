type Schema = { readonly [word: string]: unknown };

/** Arguments that show the form of a call: what a schema requires, with its own examples if it has them. They are a pattern and need not be valid. */
export function exampleArguments(parameters: Schema): { readonly [name: string]: unknown } {
  const properties = objectIn(parameters["properties"]);
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, schema]) => [name, exampleOf(objectIn(schema))]),
  );
}

function exampleOf(schema: Schema): unknown {
  const { examples, default: otherwise, enum: choices, const: only, type, minimum } = schema;
  const [first] = [
    ...listIn(examples),
    ...(otherwise === undefined ? [] : [otherwise]),
    ...(only === undefined ? [] : [only]),
    ...listIn(choices),
  ];
  if (first !== undefined) return first;
  const named = typeof schema["description"] === "string" ? /for example "([^"]+)"/i.exec(schema["description"])?.[1] : undefined;
  if (named !== undefined && type === "string") return named;
  if (type === "number" || type === "integer") return typeof minimum === "number" ? minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [exampleOf(objectIn(schema["items"]))];
  return type === "object" ? exampleArguments(schema) : "…";
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function objectIn(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
