import type { JsonObject } from "../json.ts";
import { type Check, Seen } from "./check.ts";
import type { Here } from "./here.ts";

/** Returns the checks for keywords whose schemas apply to the same value. */
export function combinedChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks: Check[] = [];
  const { $ref, not, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) checks.push(here.reference($ref));
  if (not !== undefined) {
    here.count("alternatives", 1, "not");
    const check = here.schema(not, ["not"], "same");
    checks.push((value, run) => !run.quietly(check, value) || run.report("must NOT be valid"));
  }
  if (anyOf !== undefined) checks.push(someOf("anyOf", here.list("anyOf", anyOf, "same"), here));
  if (oneOf !== undefined) checks.push(someOf("oneOf", here.list("oneOf", oneOf, "same"), here));
  if (allOf !== undefined) {
    const parts = here.list("allOf", allOf, "same");
    here.count("alternatives", parts.length, "allOf");
    checks.push((value, run, seen) => {
      let fits = true;
      for (const part of parts) if (!part(value, run, seen)) fits = false;
      return fits;
    });
  }
  return [...checks, ...conditionChecks(schema, here)];
}

/** Returns the check of `anyOf` or `oneOf`. If the value fits, the check drops the problems that the other forms reported. */
function someOf(word: "anyOf" | "oneOf", forms: readonly Check[], here: Here): Check {
  here.count("alternatives", forms.length, word);
  const message = word === "anyOf" ? "must match a schema in anyOf" : "must match exactly one schema in oneOf";
  return (value, run, seen) => {
    const before = run.problems.length;
    let fitting = 0;
    for (const form of forms) {
      const own = seen && new Seen();
      if (!run.asForm(form, value, own)) continue;
      fitting++;
      if (seen && own) seen.add(own, run);
      else if (word === "anyOf" || fitting > 1) break;
    }
    if (word === "anyOf" ? fitting > 0 : fitting === 1) {
      run.problems.length = before;
      return true;
    }
    return run.report(message);
  };
}

function conditionChecks(schema: JsonObject, here: Here): readonly Check[] {
  const condition = schema["if"];
  const branch = (word: "then" | "else") => {
    const value = schema[word];
    return value === undefined ? null : here.schema(value, [word], "same");
  };
  const [yes, no] = [branch("then"), branch("else")];
  if (condition === undefined) return [];
  here.count("alternatives", 1, "if");
  const check = here.schema(condition, ["if"], "same");
  return [
    (value, run, seen) => {
      const holds = run.quietly(check, value, seen);
      const next = holds ? yes : no;
      return next === null || next(value, run, seen) || run.report(`must match "${holds ? "then" : "else"}" schema`);
    },
  ];
}
