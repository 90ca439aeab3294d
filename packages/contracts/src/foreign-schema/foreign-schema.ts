import type { Json } from "../json.ts";
import type { Problem, Validator } from "../parse.ts";
import { type Check, CheckEnded, newSteps, Run, type Steps } from "./check.ts";
import { compileForeign } from "./compile-foreign.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { type SchemaFault, SchemaRefused } from "./schema-fault.ts";

/** A schema that somebody else wrote. It is either a check with a limited cost, or the reason why the schema is not used. */
export type ForeignSchema =
  | {
      readonly ok: true;
      /** Checks a value and applies the schema's defaults in place. If the check is aborted, the value is not valid, and the problem says why. */
      readonly validate: Validator;
      /** Returns whether the value fits, or `unknown` if the check was aborted. The caller passes a copy, because defaults are applied in place. */
      readonly judge: (value: Json, steps: Steps) => "fits" | "breaks" | "unknown";
    }
  | { readonly ok: false; readonly fault: SchemaFault };

const byObject = new WeakMap<object, ForeignSchema>();
const byText = new Map<string, ForeignSchema>();
const MAX_COMPILED = 1000;

/**
 * Returns the compiled schema of a definition. It caches compiled schemas, because every read from the store returns a new object. The check applies
 * the schema's defaults in place. It stays within its steps (`CHECK_STEPS`), never throws and never waits.
 */
export function foreignSchema(schema: object): ForeignSchema {
  const known = byObject.get(schema);
  if (known) return known;
  const text = textOf(schema);
  const made = (text === null ? undefined : byText.get(text)) ?? compiled(schema as Json, text);
  byObject.set(schema, made);
  if (text === null || text.length > SCHEMA_LIMITS.chars) return made;
  // The cache evicts the oldest schema first. If somebody still uses that schema, it is compiled again.
  const [oldest] = byText.keys();
  if (!byText.has(text) && byText.size >= MAX_COMPILED && oldest !== undefined) byText.delete(oldest);
  byText.set(text, made);
  return made;
}

/** Returns whether the schema can be used at once, because it is already compiled or refused. */
export function isCompiled(schema: object): boolean {
  if (byObject.has(schema)) return true;
  const text = textOf(schema);
  // A schema without JSON text, or with too long a text, is refused at once.
  return text === null || text.length > SCHEMA_LIMITS.chars || byText.has(text);
}

function compiled(schema: Json, text: string | null): ForeignSchema {
  if (text === null) return refused("cannot be written as JSON");
  if (text.length > SCHEMA_LIMITS.chars) return refused(`has ${text.length} characters; ${SCHEMA_LIMITS.chars} are the most`);
  if (isDeep(text)) return refused(`has more than ${SCHEMA_LIMITS.depth} levels`);
  try {
    // The check needs a copy, because the schema's owner may change the schema later.
    const check = compileForeign(JSON.parse(text) as Json);
    return {
      ok: true,
      validate(value) {
        const { fits, problems } = checked(value as Json, check, newSteps());
        return fits === true ? [] : problems;
      },
      judge(value, steps) {
        const { fits } = checked(value, check, steps);
        return fits === null ? "unknown" : fits ? "fits" : "breaks";
      },
    };
  } catch (error) {
    if (error instanceof SchemaRefused) return { ok: false, fault: error.fault };
    return refused(`cannot be compiled (${error instanceof Error ? error.message.slice(0, 100) : "an unknown fault"})`);
  }
}

/** Runs a check. `fits` is null if the check was aborted. */
function checked(value: Json, check: Check, steps: Steps): { readonly fits: boolean | null; readonly problems: readonly Problem[] } {
  const run = new Run(steps);
  try {
    // Only the value true means that the value fits. A promise counts as a failure, because a check must answer synchronously.
    const fits = check(value, run, null) === true;
    return { fits, problems: run.problems.length > 0 ? run.problems : [{ path: "", message: "is not valid" }] };
  } catch (error) {
    const message = error instanceof CheckEnded ? error.message : "cannot be checked against the tool's schema";
    return { fits: null, problems: [{ path: "", message }] };
  }
}

function refused(what: string): ForeignSchema {
  return { ok: false, fault: { pointer: "", reason: `The schema ${what}.` } };
}

function textOf(schema: object): string | null {
  try {
    return JSON.stringify(schema) ?? null;
  } catch {
    return null;
  }
}

/** Returns whether the nesting is too deep. It reads the JSON text, because recursion into a deep value could overflow the stack. */
function isDeep(text: string): boolean {
  let level = 0;
  let quotes = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) quotes = !quotes;
    else if (code === 92) at++;
    else if (!quotes && (code === 123 || code === 91)) level++;
    else if (!quotes && (code === 125 || code === 93)) level--;
    if (level > SCHEMA_LIMITS.depth) return true;
  }
  return false;
}
