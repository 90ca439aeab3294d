import { type Static, Type } from "./schema.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Plan } from "./plan.ts";

/** One argument that an approver changed. The values are JSON texts, which may be truncated. A value that did not exist is absent. */
export const ArgumentChange = Type.Object(
  { name: Type.String(), before: Type.Optional(Type.String()), after: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
export type ArgumentChange = Readonly<Static<typeof ArgumentChange>>;

/**
 * Returns the top-level arguments that differ, in the order of their names. The more arguments differ, the shorter is the text of each. `redact`
 * removes what must not be shown from the whole text of a value. `redact` must run before the text is cut, because it does not recognise a credential
 * that was cut.
 */
export function argumentChanges(before: JsonObject, after: JsonObject, redact: (text: string) => string): ArgumentChange[] {
  const changed = changedNames(before, after).slice(0, MAX_LISTED);
  const most = Math.min(MAX_VALUE, Math.max(MIN_VALUE, Math.floor(MAX_VALUES / changed.length)));
  return changed.map((name) => {
    const [was, is] = [textOf(before, name), textOf(after, name)];
    return {
      name: cut(name, MAX_NAME),
      ...(was === undefined ? {} : { before: cut(redact(was), most) }),
      ...(is === undefined ? {} : { after: cut(redact(is), most) }),
    };
  });
}

/** Returns every field of a plan that differs, with its whole values. A plan is short, and people approve nothing that they do not see. */
export function planChanges({ before, after }: Plan, redact: (text: string) => string): ArgumentChange[] {
  return changedNames(before, after).map((name) => {
    const [was, is] = [textOf(before, name), textOf(after, name)];
    return { name, ...(was === undefined ? {} : { before: redact(was) }), ...(is === undefined ? {} : { after: redact(is) }) };
  });
}

function changedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.filter((name) => textOf(before, name) !== textOf(after, name));
}

/** Returns the changes as a clause without a full stop, such as `"amount" was 100 and is 20`. */
export function changesInWords(changes: readonly ArgumentChange[]): string {
  return changes.map(changeInWords).join("; ");
}

function changeInWords({ name, before, after }: ArgumentChange): string {
  if (before === undefined) return `"${name}" was absent and is ${after ?? ""}`;
  return after === undefined ? `"${name}" was ${before} and is absent` : `"${name}" was ${before} and is ${after}`;
}

// The changes are a part of events, transcript entries and call documents, so all of them together are a few kilobytes.
const MAX_LISTED = 64;
const MAX_NAME = 64;
const MAX_VALUE = 200;
const MIN_VALUE = 24;
const MAX_VALUES = 2000;

function textOf(object: JsonObject, name: string): string | undefined {
  return Object.hasOwn(object, name) ? sorted(object[name] as Json) : undefined;
}

/** Returns JSON text with sorted keys, because a view of arguments may have them in another order. */
function sorted(value: Json): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
