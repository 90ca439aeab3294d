import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isInteger, type Static, type TObject, type TSchema } from "./schema.ts";

/** One fault in a value. `path` is a JSON Pointer ("" for the value itself), and `message` describes the fault to the sender. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The outcome of parsing foreign input: the typed value, or the faults. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** A check by one schema. The check applies the schema's `default`s in place. It converts no values and removes none. */
export type Validator = (value: unknown) => readonly Problem[];

// A process has only one validator instance, because compiling costs milliseconds and a second instance costs more. `strict: false` accepts words
// that ajv does not know, because tool authors' schemas may contain them. Our own schemas are linted elsewhere. `strictNumbers` refuses infinite
// numbers, which `strict: false` would accept. JSON text can contain them (1e999), but they would be stored as null.
const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  strictNumbers: true,
  useDefaults: true,
  coerceTypes: false,
  removeAdditional: false,
  verbose: false,
});
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);

/** Compiles a JSON Schema (2020-12) at once. Throws with the compiler's message if the schema itself is invalid. */
export function compileSchema(schema: object): Validator {
  const validate = ajv.compile(schema);
  // Without this line ajv would keep every schema, and would refuse a second schema with the same $id.
  ajv.removeSchema(schema);
  return (value) => (validate(value) ? [] : problemsOf(validate));
}

/** Returns a strict parser for one declared schema. It compiles the schema on first use, so that importing the contracts costs nothing. */
export function parser<S extends TSchema>(schema: S): (value: unknown) => Parsed<Static<S>> {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? { ok: true, value: value as Static<S> } : { ok: false, problems: problemsOf(validate) };
  };
}

/** Returns a parser of JSON text. It reports text that is not JSON as one problem at the root. */
export function jsonParser<S extends TSchema>(schema: S): (text: string) => Parsed<Static<S>> {
  const parse = parser(schema);
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { ok: false, problems: [{ path: "", message: "is not JSON" }] };
    }
    return parse(value);
  };
}

/** A schema with its parser and its name in the API's description, so the documented schema is also the checked schema. */
export interface Declared<T> {
  readonly name: string;
  readonly schema: object;
  readonly parse: (value: unknown) => Parsed<T>;
}

export function declared<S extends TSchema>(name: string, schema: S): Declared<Static<S>> {
  return { name, schema, parse: parser(schema) };
}

/** The schema of a query. Each parameter is a text in the address. */
export interface DeclaredQuery<T> extends Declared<T> {
  readonly parameters: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[];
}

/**
 * Returns the declaration of a query. Its parser converts texts to whole numbers where the schema requires integers. It refuses a parameter that is
 * given twice.
 */
export function declaredQuery<S extends TObject>(name: string, schema: S): DeclaredQuery<Static<S>> {
  const properties: Readonly<Record<string, TSchema>> = schema.properties;
  const must: readonly string[] = schema.required ?? [];
  const parse = parser(schema);
  return {
    name,
    schema,
    parameters: Object.entries(properties).map(([parameter, about]) => ({
      name: parameter,
      required: must.includes(parameter),
      schema: about,
    })),
    parse(value) {
      const given = Object.entries(typeof value === "object" && value !== null ? value : {});
      const twice = given.filter(([, text]) => typeof text !== "string").map(([parameter]) => parameter);
      if (twice.length > 0)
        return { ok: false, problems: twice.map((parameter) => ({ path: pointer("", parameter), message: "must be given once" })) };
      return parse(Object.fromEntries(given.map(([parameter, text]) => [parameter, valueOf(properties[parameter], String(text))])));
    },
  };
}

function valueOf(schema: TSchema | undefined, text: string): string | number {
  return schema !== undefined && isInteger(schema) && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Returns a list of problems as one line, for logs and error texts: `/name must be a string; /age must be >= 0`. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}

// The largest number of reported problems. A sender of ten thousand wrong fields needs only the first few.
const MAX_PROBLEMS = 8;

function problemsOf(validate: ValidateFunction): readonly Problem[] {
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(problemOf);
}

function problemOf(error: ErrorObject): Problem {
  const { instancePath: path, keyword, params } = error;
  if (keyword === "additionalProperties") return { path: pointer(path, params["additionalProperty"]), message: "is not a known field" };
  if (keyword === "required") return { path: pointer(path, params["missingProperty"]), message: "is required" };
  if (keyword === "enum")
    return { path, message: `must be one of ${(params["allowedValues"] as unknown[]).map((v) => JSON.stringify(v)).join(", ")}` };
  if (keyword === "const") return { path, message: `must be ${JSON.stringify(params["allowedValue"])}` };
  return {
    path,
    message: error.message?.replace(/ 1 (item|character)s$/, " 1 $1").replace(/ 1 properties$/, " 1 property") ?? "is not valid",
  };
}

/** Returns the JSON Pointer of a member (RFC 6901). It escapes "~" and "/" in the member's name. */
function pointer(path: string, member: unknown): string {
  return `${path}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
