import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Static, TSchema } from "typebox";

/** One fault in a value: where (a JSON Pointer, "" for the value itself) and what, in words for the one who sent it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The outcome of parsing at an edge: the typed value, or every fault found. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

/** A check of one schema. Applies the schema's `default`s in place; nothing is coerced, nothing is removed. */
export type Validator = (value: unknown) => readonly Problem[];

// The one validator instance of a process: compiling costs milliseconds, an instance more (stack notes, section 5).
// `strict: false` because tool authors' schemas may carry words that ajv does not know; our own are linted elsewhere.
const ajv = new Ajv2020({ allErrors: true, strict: false, useDefaults: true, coerceTypes: false, removeAdditional: false, verbose: false });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);

/** Compiles a JSON Schema (2020-12) at once. Throws with the compiler's words when the schema itself is broken. */
export function compileSchema(schema: object): Validator {
  const validate = ajv.compile(schema);
  // Ajv would keep every schema it ever saw, and refuse a second one with the same $id.
  ajv.removeSchema(schema);
  return (value) => (validate(value) ? [] : problemsOf(validate));
}

/** A strict parser for one declared schema; it compiles on first use, so that importing the contracts costs nothing. */
export function parser<S extends TSchema>(schema: S): (value: unknown) => Parsed<Static<S>> {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) ? { ok: true, value: value as Static<S> } : { ok: false, problems: problemsOf(validate) };
  };
}

/** Parses JSON text and checks it. Text that is no JSON is one problem at the root. */
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

/** One line from a list of problems, for logs and error texts: `/name must be a string; /age must be >= 0`. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}

// Someone who sends ten thousand wrong fields needs to read the first few.
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
  return { path, message: error.message ?? "is not valid" };
}

/** The JSON Pointer of a member (RFC 6901): "~" and "/" in its name are escaped. */
function pointer(path: string, member: unknown): string {
  return `${path}/${String(member).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
