import type { Json } from "@toolbus/contracts";
import type { Loss } from "./loss.ts";
import { sameKind, sameShape, sameWords } from "./same-shape.ts";
import { KINDS, type Kind, type KindName, type Kinds, type Members, type Shape, type Values, type Word } from "./shape.ts";

/**
 * Returns a shape of the values that either shape accepts (`anyOf`, `oneOf`). It contains the kinds that only one side has, the joined enums and the
 * equal parts. If the sides have different rules for one kind, the result has only their common rules and accepts more than both sides. The function
 * then reports a loss at `at`.
 */
export function unite(a: Shape, b: Shape, at: string): Shape {
  if (a.fault) return { ...b, at: a.at };
  if (b.fault || a === b) return a;
  const kinds: { [name in KindName]?: Kind } = {};
  for (const name of KINDS) {
    const [one, other] = [a.kinds[name], b.kinds[name]];
    const either = one && other ? uniteKinds(one, other, at) : (one ?? other);
    if (either) kinds[name] = either;
  }
  return {
    at: a.at,
    title: a.title === b.title ? a.title : "",
    description: eitherText(a.description, b.description),
    hints: a.hints.length > 0 && b.hints.length > 0 ? [] : [...a.hints, ...b.hints],
    losses: [...a.losses, ...b.losses],
    kinds: kinds as Kinds,
    nullByDefault: a.nullByDefault || b.nullByDefault,
    opaque: a.opaque ?? b.opaque,
    fault: null,
  };
}

/** Returns both descriptions if they are short. */
function eitherText(a: string, b: string): string {
  if (a === b || a === "" || b === "") return a || b;
  return a.length + b.length > MAX_TEXTS ? "" : `${a} Or: ${b}`;
}

const MAX_TEXTS = 300;

function uniteKinds(a: Kind, b: Kind, at: string): Kind {
  if (sameKind(a, b)) return a;
  if (covers(a, b)) return { ...a, said: a.said || b.said };
  if (covers(b, a)) return { ...b, said: a.said || b.said };
  const { members, exact } = uniteMembers(a.members, b.members, at);
  const values = a.values && b.values ? uniteValues(a.values, b.values) : null;
  const words = uniteWords(a.words, b.words);
  // If one array has no `items`, the items of the other side remain. The result accepts fewer values, and all of them are valid.
  const items = a.items && b.items ? unite(a.items, b.items, at) : (a.items ?? b.items);
  const onlyValues = values !== null && a.integer === b.integer && sameWords(a, b);
  const widened = !(onlyValues || (exact && sameWords(a, b) && sameBut(a, b)));
  const losses: Loss[] = [...a.losses, ...b.losses];
  if (widened) losses.push({ pointer: at, what: "Only the common rules of several forms are passed on, not which parts belong together." });
  return { said: a.said || b.said, integer: a.integer && b.integer, words, values, losses, items, members };
}

/** Returns true if the wide kind accepts every value of its type, so that the narrow one adds nothing. */
function covers(wide: Kind, narrow: Kind): boolean {
  const { members } = wide;
  const all =
    wide.values === null &&
    wide.words.size === 0 &&
    (!wide.integer || narrow.integer) &&
    wide.losses.length === 0 &&
    wide.items === null &&
    members.properties.size === 0 &&
    members.required.size === 0 &&
    !members.others &&
    members.others !== false &&
    members.keys === null;
  // The narrow kind may be the author's only description of an object or array, so a kind without rules does not replace it.
  return all && !(narrow.items !== null || narrow.members.properties.size > 0 || narrow.members.others);
}

/** Returns true if only the members may differ. */
function sameBut(a: Kind, b: Kind): boolean {
  return (
    a.integer === b.integer &&
    a.values === null &&
    b.values === null &&
    (a.items && b.items ? sameShape(a.items, b.items) : a.items === b.items)
  );
}

function uniteValues(a: Values, b: Values): Values {
  return { list: [...new Set<Json>([...a.list, ...b.list])], at: a.at };
}

/** Returns the limits that both sides have. Each limit has the looser of the two values. */
function uniteWords(a: ReadonlyMap<string, Word>, b: ReadonlyMap<string, Word>): ReadonlyMap<string, Word> {
  const words = new Map<string, Word>();
  for (const [name, word] of a) {
    const other = b.get(name);
    if (!other) continue;
    if (other.value === word.value) words.set(name, word);
    else if (typeof word.value === "number" && typeof other.value === "number" && name !== "multipleOf") {
      const low = name.startsWith("min") || name === "exclusiveMinimum";
      words.set(name, low === word.value < other.value ? word : other);
    }
  }
  return words;
}

/** Unites the members of both sides. The result is exact if the sides differ in at most one property. */
function uniteMembers(a: Members, b: Members, at: string): { readonly members: Members; readonly exact: boolean } {
  if (a === b) return { members: a, exact: true };
  const properties = new Map<string, Shape>();
  let differing = 0;
  for (const [name, shape] of a.properties) {
    const other = b.properties.get(name);
    if (other && !sameShape(shape, other)) differing++;
    properties.set(name, other ? unite(shape, other, at) : shape);
  }
  for (const [name, shape] of b.properties) if (!a.properties.has(name)) properties.set(name, shape);
  const required = new Set([...a.required].filter((name) => b.required.has(name)));
  const alike =
    a.properties.size === b.properties.size &&
    properties.size === a.properties.size &&
    required.size === a.required.size &&
    required.size === b.required.size &&
    sameOthers(a.others, b.others) &&
    sameOthers(a.keys, b.keys);
  const members: Members = {
    properties,
    required,
    others:
      a.others && b.others
        ? unite(a.others, b.others, at)
        : a.others || b.others
          ? a.others || b.others
          : a.others === b.others
            ? a.others
            : null,
    keys: a.keys && b.keys && sameShape(a.keys, b.keys) ? a.keys : null,
  };
  return { members, exact: alike && differing <= 1 };
}

function sameOthers(a: Shape | false | null, b: Shape | false | null): boolean {
  return a && b ? sameShape(a, b) : a === b;
}
