import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Check, Run } from "./check.ts";
import type { Here } from "./here.ts";
import type { LinearPattern } from "./linear-pattern.ts";

const NO_CHECKS: ReadonlyMap<string, Check> = new Map();

/** Returns the checks for the keywords of objects. Defaults are applied first, so that their values are checked as well. */
export function objectChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks = [...sizeChecks(schema, here), ...requiredChecks(schema, here), ...nameChecks(schema, here)];
  const members = memberChecks(schema, here);
  const dependent = dependencyChecks(schema, here);
  const fills = defaultsOf(schema);
  const all = [...checks, ...members, ...dependent];
  if (all.length === 0 && fills.length === 0) return [];
  return [
    (value, run, seen) => {
      if (!isJsonObject(value)) return true;
      if (fills.length > 0 && run.mayFill) for (const fill of fills) fill(value as Record<string, Json>, run);
      run.spend(all.length);
      let fits = true;
      for (const check of all) if (!check(value, run, seen)) fits = false;
      return fits;
    },
  ];
}

/** Returns the functions that apply the defaults. A default costs steps in proportion to its size. */
function defaultsOf({ properties }: JsonObject): readonly ((value: Record<string, Json>, run: Run) => void)[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, part]) => {
    if (!isJsonObject(part) || part["default"] === undefined) return [];
    const fallback = part["default"];
    const simple = typeof fallback !== "object" || fallback === null;
    const cost = simple ? 4 : 20 + (JSON.stringify(fallback).length >> 2);
    return [
      (value: Record<string, Json>, run: Run) => {
        if (Object.hasOwn(value, name)) return;
        run.spend(cost);
        const put = simple ? fallback : structuredClone(fallback);
        // A member with the name `__proto__` is a normal member.
        if (name === "__proto__") Object.defineProperty(value, name, { value: put, writable: true, enumerable: true, configurable: true });
        else value[name] = put;
      },
    ];
  });
}

function sizeChecks(schema: JsonObject, here: Here): readonly Check[] {
  const most = here.size(schema, "maxProperties");
  const least = here.size(schema, "minProperties");
  if (most === undefined && least === undefined) return [];
  return [
    (value, run) => {
      const count = Object.keys(value as JsonObject).length;
      run.spend(count >> 2);
      if (most !== undefined && count > most)
        return run.report(`must NOT have more than ${most} ${most === 1 ? "property" : "properties"}`);
      if (least !== undefined && count < least)
        return run.report(`must NOT have fewer than ${least} ${least === 1 ? "property" : "properties"}`);
      return true;
    },
  ];
}

function requiredChecks({ required }: JsonObject, here: Here): readonly Check[] {
  if (required === undefined) return [];
  const names = here.texts("required", required);
  return names.length === 0 ? [] : [(value, run) => hasAll(value as JsonObject, names, run)];
}

function hasAll(value: JsonObject, names: readonly string[], run: Run, message = "is required"): boolean {
  run.spend(names.length);
  let has = true;
  for (const name of names) if (!Object.hasOwn(value, name)) has = run.report(message, name);
  return has;
}

function nameChecks({ propertyNames }: JsonObject, here: Here): readonly Check[] {
  if (propertyNames === undefined) return [];
  const check = here.schema(propertyNames, ["propertyNames"], "member");
  return [
    (value, run) => {
      let fits = true;
      for (const name of Object.keys(value as JsonObject))
        if (!run.asForm(check, name, null)) fits = run.report("property name must be valid");
      return fits;
    },
  ];
}

/** Returns the checks for `properties` and `patternProperties`, and for `additionalProperties`, which applies to all other members. */
function memberChecks(schema: JsonObject, here: Here): readonly Check[] {
  const { properties, patternProperties, additionalProperties: others } = schema;
  const named = properties === undefined ? NO_CHECKS : here.map("properties", properties, "member");
  here.count("properties", named.size, "properties");
  const patterned = patternProperties === undefined ? [] : patternedOf(patternProperties, here);
  const rest = others === undefined || typeof others === "boolean" ? null : here.schema(others, ["additionalProperties"], "member");
  const checks: Check[] = [];
  if (others !== undefined)
    checks.push((value, run, seen) => {
      let fits = true;
      for (const name of Object.keys(value as JsonObject)) {
        run.spend(1);
        if (named.has(name) || patterned.some(([pattern]) => pattern.test(name, run.spend))) continue;
        seen?.members.add(name);
        if (others === false) fits = run.report("is not a known field", name);
        else if (rest && !run.within(name, rest, (value as JsonObject)[name] ?? null)) fits = false;
      }
      return fits;
    });
  if (named.size > 0)
    checks.push((value, run, seen) => {
      let fits = true;
      run.spend(named.size);
      for (const [name, check] of named) {
        if (!Object.hasOwn(value as JsonObject, name)) continue;
        seen?.members.add(name);
        if (!run.within(name, check, (value as JsonObject)[name] ?? null)) fits = false;
      }
      return fits;
    });
  if (patterned.length > 0)
    checks.push((value, run, seen) => {
      let fits = true;
      for (const name of Object.keys(value as JsonObject))
        for (const [pattern, check] of patterned) {
          if (!pattern.test(name, run.spend)) continue;
          seen?.members.add(name);
          if (!run.within(name, check, (value as JsonObject)[name] ?? null)) fits = false;
        }
      return fits;
    });
  return checks;
}

function patternedOf(value: Json, here: Here): readonly (readonly [LinearPattern, Check])[] {
  const checks = here.map("patternProperties", value, "member");
  return [...checks].map(([source, check]) => [here.pattern("patternProperties", source, source), check]);
}

/** Returns the checks for `dependentRequired`, `dependentSchemas`, and draft-07's `dependencies`, which can be either. */
function dependencyChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks: Check[] = [];
  for (const word of ["dependencies", "dependentRequired", "dependentSchemas"] as const) {
    const value = schema[word];
    if (value === undefined) continue;
    if (!isJsonObject(value)) return here.refuse(word, "must be an object");
    for (const [name, part] of Object.entries(value)) {
      if (word === "dependentRequired" || (word === "dependencies" && Array.isArray(part))) {
        const names = here.texts(word, part);
        const message = `is required when ${JSON.stringify(name)} is given`;
        checks.push((given, run) => !Object.hasOwn(given as JsonObject, name) || hasAll(given as JsonObject, names, run, message));
      } else {
        const check = here.schema(part, [word, name], "same");
        checks.push((given, run, seen) => !Object.hasOwn(given as JsonObject, name) || check(given, run, seen));
      }
    }
  }
  return checks;
}

/** Returns the check of the members that no other keyword of the schema has evaluated. It must run last. */
export function unevaluatedMembers({ unevaluatedProperties: others }: JsonObject, here: Here): readonly Check[] {
  if (others === undefined) return [];
  const rest = here.schema(others, ["unevaluatedProperties"], "member");
  return [
    (value, run, seen) => {
      if (!isJsonObject(value)) return true;
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        if (seen?.members.has(name)) continue;
        if (others === false) fits = run.report("is not a known field", name);
        else if (!run.within(name, rest, value[name] ?? null)) fits = false;
        seen?.members.add(name);
      }
      return fits;
    },
  ];
}
