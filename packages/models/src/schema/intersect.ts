import type { Json } from "@toolbus/contracts";
import { emptiness } from "./empty-kind.ts";
import type { Fault, Loss } from "./loss.ts";
import { sameValue } from "./read/read-values.ts";
import {
  KINDS,
  type Kind,
  type KindName,
  type Members,
  NO_MEMBERS,
  nothing,
  type Shape,
  type Values,
  type Word,
  withKinds,
} from "./shape.ts";

/**
 * Returns a shape of the values that both shapes accept (`allOf`, a `$ref` with other words beside it). The first description takes precedence over
 * the second.
 */
export function intersect(a: Shape, b: Shape): Shape {
  if (a.fault) return a;
  if (b.fault) return b;
  const kinds: { [name in KindName]?: Kind } = {};
  let fault: Fault | null = null;
  for (const name of KINDS) {
    const [one, other] = [a.kinds[name], b.kinds[name]];
    if (!one || !other) continue;
    const both = intersectKinds(one, other);
    const empty = one === other ? null : emptiness(name, both, a.at);
    if (empty) fault ??= empty;
    else kinds[name] = both;
  }
  const shape: Shape = {
    at: a.at,
    title: a.title || b.title,
    description: a.description || b.description,
    hints: [...a.hints, ...b.hints],
    losses: [...a.losses, ...b.losses],
    kinds: {},
    nullByDefault: a.nullByDefault || b.nullByDefault,
    opaque: a.opaque ?? b.opaque,
    fault: null,
  };
  const apart = "The parts of this schema contradict each other, so no value is valid; correct one of them.";
  return withKinds(shape, kinds, fault ?? { pointer: a.at, reason: apart });
}

function intersectKinds(a: Kind, b: Kind): Kind {
  if (a === b) return a;
  const losses: Loss[] = [...a.losses, ...b.losses];
  const integer = a.integer || b.integer;
  const both = intersectValues(a.values, b.values);
  const values = both && integer ? { ...both, list: both.list.filter((value) => Number.isInteger(value)) } : both;
  const members = intersectMembers(a.members, b.members);
  return {
    said: a.said || b.said,
    integer,
    words: intersectWords(a.words, b.words, losses),
    values,
    losses,
    items: a.items && b.items ? intersect(a.items, b.items) : (a.items ?? b.items),
    members,
  };
}

function intersectValues(a: Values | null, b: Values | null): Values | null {
  if (!a || !b) return a ?? b;
  const scalars = new Set<Json>(b.list);
  const composite = b.list.filter((value) => typeof value === "object" && value !== null);
  const list = a.list.filter((value) => scalars.has(value) || composite.slice(0, 200).some((other) => sameValue(value, other)));
  return { list, at: a.at };
}

function intersectWords(a: ReadonlyMap<string, Word>, b: ReadonlyMap<string, Word>, losses: Loss[]): ReadonlyMap<string, Word> {
  if (b.size === 0) return a;
  const words = new Map(a);
  for (const [name, word] of b) {
    const own = words.get(name);
    if (!own || tighter(name, word.value, own.value)) words.set(name, word);
    // Two patterns or formats cannot be combined into one.
    else if (own.value !== word.value && (name === "pattern" || name === "format" || name === "multipleOf"))
      losses.push({ pointer: word.at, what: `A second "${name}" is not passed on.` });
  }
  return words;
}

function tighter(name: string, value: Word["value"], than: Word["value"]): boolean {
  if (typeof value !== "number" || typeof than !== "number") return false;
  if (name === "multipleOf") return value > than && value % than === 0;
  return name.startsWith("min") || name === "exclusiveMinimum" ? value > than : value < than;
}

function intersectMembers(a: Members, b: Members): Members {
  if (a === b || b === NO_MEMBERS) return a;
  if (a === NO_MEMBERS) return b;
  const properties = new Map<string, Shape>();
  for (const [name, shape] of a.properties) properties.set(name, bothOf(shape, b.properties.get(name) ?? b.others));
  for (const [name, shape] of b.properties) if (!a.properties.has(name)) properties.set(name, bothOf(shape, a.others));
  return {
    properties,
    required: new Set([...a.required, ...b.required]),
    others:
      a.others && b.others ? intersect(a.others, b.others) : a.others === false || b.others === false ? false : (a.others ?? b.others),
    keys: a.keys && b.keys ? intersect(a.keys, b.keys) : (a.keys ?? b.keys),
  };
}

/**
 * Returns the shape of a property that obeys both shapes. If the other shape does not list the property, its rule for additional properties applies.
 */
function bothOf(shape: Shape, other: Shape | false | null): Shape {
  if (other === null) return shape;
  if (other) return intersect(shape, other);
  const reason = 'Another part of the schema has "additionalProperties": false and does not list this property; list it there as well.';
  return nothing({ pointer: shape.at, reason });
}
