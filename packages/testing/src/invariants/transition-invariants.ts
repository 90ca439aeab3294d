import type { Change } from "@toolbus/state";
import type { Changed } from "./facts.ts";
import { changesOf } from "./transition-tables.ts";
import { changeName, nameOf, statusOf } from "./transition-names.ts";

/** Checks that every change of a status is in the table of its transition. */
export function brokenByTransition(changed: readonly Changed[], change: Change): readonly string[] {
  const name = nameOf(change);
  if (name === null) return [];
  return changed.flatMap(({ key, before, after }) => {
    const status = statusOf(key, after);
    if (status === null) return [];
    const what = changeName(key, statusOf(key, before), status);
    return changesOf(name)?.has(what) ? [] : [`table: "${name}" made ${what} of ${key}, which no table of transitions has`];
  });
}
