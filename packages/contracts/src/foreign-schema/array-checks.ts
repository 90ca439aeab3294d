import { counted } from "../counted.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Check } from "./check.ts";
import type { Here } from "./here.ts";
import { identity } from "./value-checks.ts";

type List = readonly Json[];

/** Returns the checks for the keywords of arrays. A list of `items` with `additionalItems` is draft-07's form of `prefixItems` with `items`. */
export function arrayChecks(schema: JsonObject, here: Here): readonly Check[] {
  const all = [...sizeChecks(schema, here), ...uniqueChecks(schema, here), ...itemChecks(schema, here), ...containsChecks(schema, here)];
  if (all.length === 0) return [];
  return [
    (value, run, seen) => {
      if (!Array.isArray(value)) return true;
      run.spend(all.length);
      let fits = true;
      for (const check of all) if (!check(value, run, seen)) fits = false;
      return fits;
    },
  ];
}

function sizeChecks(schema: JsonObject, here: Here): readonly Check[] {
  const most = here.size(schema, "maxItems");
  const least = here.size(schema, "minItems");
  const checks: Check[] = [];
  if (most !== undefined)
    checks.push((value, run) => (value as List).length <= most || run.report(`must NOT have more than ${counted(most, "item")}`));
  if (least !== undefined)
    checks.push((value, run) => (value as List).length >= least || run.report(`must NOT have fewer than ${counted(least, "item")}`));
  return checks;
}

/** Returns the check for `uniqueItems`. It compares one text per item, because a comparison of every pair would take quadratic time. */
function uniqueChecks({ uniqueItems }: JsonObject, here: Here): readonly Check[] {
  if (uniqueItems === undefined || uniqueItems === false) return [];
  if (uniqueItems !== true) return here.refuse("uniqueItems", "must be true or false");
  return [
    (value, run) => {
      const places = new Map<string, number>();
      for (const [place, item] of (value as List).entries()) {
        const text = identity(item, run);
        const before = places.get(text);
        if (before !== undefined) return run.report(`must NOT have duplicate items (items ## ${before} and ${place} are identical)`);
        places.set(text, place);
      }
      return true;
    },
  ];
}

function itemChecks(schema: JsonObject, here: Here): readonly Check[] {
  const { items, prefixItems, additionalItems } = schema;
  const listed = Array.isArray(items);
  if (listed && prefixItems !== undefined) return here.refuse("items", 'must be one schema beside "prefixItems"');
  const word = listed ? "items" : "prefixItems";
  const value = listed ? items : prefixItems;
  const first = value === undefined ? [] : here.list(word, value, "member");
  const restWord = listed ? "additionalItems" : "items";
  const others = listed ? additionalItems : items;
  const checks: Check[] = [];
  if (first.length > 0)
    checks.push((given, run, seen) => {
      let fits = true;
      const list = given as List;
      for (let place = 0; place < first.length && place < list.length; place++) {
        seen?.items.add(place);
        const check = first[place];
        if (check && !run.within(place, check, list[place] ?? null)) fits = false;
      }
      return fits;
    });
  if (others === undefined) return checks;
  const rest = here.schema(others, [restWord], "member");
  const start = first.length;
  checks.push((given, run, seen) => {
    const list = given as List;
    if (others === false) return list.length <= start || run.report(`must NOT have more than ${counted(start, "item")}`);
    let fits = true;
    for (let place = start; place < list.length; place++) {
      seen?.items.add(place);
      if (!run.within(place, rest, list[place] ?? null)) fits = false;
    }
    return fits;
  });
  return checks;
}

function containsChecks(schema: JsonObject, here: Here): readonly Check[] {
  const { contains } = schema;
  const least = here.size(schema, "minContains") ?? 1;
  const most = here.size(schema, "maxContains") ?? Infinity;
  if (contains === undefined) return [];
  const check = here.schema(contains, ["contains"], "member");
  const message =
    most === Infinity
      ? `must contain at least ${least} valid item(s)`
      : `must contain at least ${least} and no more than ${most} valid item(s)`;
  return [
    (value, run, seen) => {
      let count = 0;
      for (const [place, item] of (value as List).entries()) {
        if (!run.quietly((given, inner) => inner.within(place, check, given), item)) continue;
        seen?.items.add(place);
        count++;
      }
      return (count >= least && count <= most) || run.report(message);
    },
  ];
}

/** Returns the check of the items that no other keyword of the schema has evaluated. It must run last. */
export function unevaluatedItems({ unevaluatedItems: others }: JsonObject, here: Here): readonly Check[] {
  if (others === undefined) return [];
  const rest = here.schema(others, ["unevaluatedItems"], "member");
  return [
    (value, run, seen) => {
      if (!Array.isArray(value)) return true;
      let fits = true;
      for (const [place, item] of (value as List).entries()) {
        run.spend(1);
        if (seen?.items.has(place)) continue;
        if (others === false) return run.report(`must NOT have unevaluated items: item ${place} is one`);
        if (!run.within(place, rest, item)) fits = false;
        seen?.items.add(place);
      }
      return fits;
    },
  ];
}
