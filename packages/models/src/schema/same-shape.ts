import type { Kind, Kinds, Shape } from "./shape.ts";
import { KINDS } from "./shape.ts";

/** Returns true if two shapes surely accept the same values. Returns false if they differ, or if the comparison is too costly. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a === b || (a.opaque === null && b.opaque === null && a.losses.length + b.losses.length === 0 && sameKinds(a.kinds, b.kinds));
}

function sameKinds(a: Kinds, b: Kinds): boolean {
  return KINDS.every((name) => {
    const [one, other] = [a[name], b[name]];
    return one === other || (one !== undefined && other !== undefined && sameKind(one, other));
  });
}

export function sameKind(a: Kind, b: Kind): boolean {
  return (
    a === b ||
    (a.integer === b.integer &&
      a.losses.length + b.losses.length === 0 &&
      sameWords(a, b) &&
      sameValues(a, b) &&
      sameMaybe(a.items, b.items) &&
      sameMembers(a, b))
  );
}

export function sameWords(a: Kind, b: Kind): boolean {
  return a.words.size === b.words.size && [...a.words].every(([name, { value }]) => b.words.get(name)?.value === value);
}

function sameValues({ values: a }: Kind, { values: b }: Kind): boolean {
  if (!a || !b) return a === b;
  if (a.list.length !== b.list.length) return false;
  const others = new Set(b.list);
  return a.list.every((value) => others.has(value));
}

function sameMembers({ members: a }: Kind, { members: b }: Kind): boolean {
  return (
    a === b ||
    (a.properties.size === b.properties.size &&
      a.required.size === b.required.size &&
      [...a.required].every((name) => b.required.has(name)) &&
      [...a.properties].every(([name, shape]) => sameMaybe(shape, b.properties.get(name) ?? null)) &&
      sameMaybe(a.others, b.others) &&
      sameMaybe(a.keys, b.keys))
  );
}

function sameMaybe(a: Shape | false | null, b: Shape | false | null): boolean {
  return a && b ? sameShape(a, b) : a === b;
}
