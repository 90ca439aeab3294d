import { redactText } from "./redact.ts";

/** The attributes of a span, event or measurement. Undefined values are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const LONGEST_VALUE = 512;

/**
 * Attributes as a list: each name with its value after it, every name once. They are redacted and truncated. A span gets its attributes in several steps,
 * and the engine adds an element to a list much faster than a property to an object.
 */
export type AttributePairs = readonly (string | number | boolean | readonly string[])[];

/** No attributes. */
export const NO_PAIRS: AttributePairs = [];

/**
 * Returns the attributes as pairs, after those in `before`. An attribute is a name, an id or a figure, and never a content. A value replaces the one that
 * has the same name in `before`.
 */
export function pairsOf(attributes: Attributes, before: AttributePairs = NO_PAIRS): AttributePairs {
  const pairs = before.slice();
  for (const name in attributes) {
    const given = attributes[name];
    if (given === undefined) continue;
    const value = typeof given === "string" ? cleanText(given) : typeof given === "object" ? given.map(cleanText) : given;
    const at = placeOf(name, before);
    if (at < 0) pairs.push(name, value);
    else pairs[at + 1] = value;
  }
  return pairs;
}

/** Returns one list of two. A value of the second replaces the one that has the same name in the first. */
export function joinedPairs(first: AttributePairs, second: AttributePairs): AttributePairs {
  if (first.length === 0) return second;
  const pairs = first.slice();
  for (let at = 0; at < second.length; at += 2) {
    const found = placeOf(second[at], first);
    if (found < 0) pairs.push(second[at] as string, second[at + 1] as AttributePairs[number]);
    else pairs[found + 1] = second[at + 1] as AttributePairs[number];
  }
  return pairs;
}

/**
 * Returns the pairs of attributes that many spans share, such as those of a topic. The same object always gives the same list, so nobody may change it. The
 * list is redacted once, and an exporter encodes it once.
 */
export function sharedPairs(attributes: Attributes): AttributePairs {
  let pairs = shared.get(attributes);
  if (!pairs) {
    pairs = pairsOf(attributes);
    shared.set(attributes, pairs);
  }
  return pairs;
}

const shared = new WeakMap<Attributes, AttributePairs>();

/** Returns one shared list of two, which is always the same for the same two. A value of the second replaces the one that has the same name in the first. */
export function joinedShared(first: AttributePairs, second: AttributePairs): AttributePairs {
  if (first.length === 0) return second;
  let withFirst = joined.get(first);
  if (!withFirst) {
    withFirst = new WeakMap();
    joined.set(first, withFirst);
  }
  let pairs = withFirst.get(second);
  if (!pairs) {
    pairs = joinedPairs(first, second);
    withFirst.set(second, pairs);
  }
  return pairs;
}

const joined = new WeakMap<AttributePairs, WeakMap<AttributePairs, AttributePairs>>();

/** Returns whether a name is in both lists. */
export function haveCommonName(one: AttributePairs, other: AttributePairs): boolean {
  if (one.length === 0) return false;
  for (let at = 0; at < other.length; at += 2) if (placeOf(other[at], one) >= 0) return true;
  return false;
}

/** Returns the pairs as an object. */
export function attributesOf(pairs: AttributePairs): Record<string, Exclude<Attributes[string], undefined>> {
  const attributes: Record<string, AttributePairs[number]> = {};
  for (let at = 0; at < pairs.length; at += 2) attributes[pairs[at] as string] = pairs[at + 1] as AttributePairs[number];
  return attributes;
}

function placeOf(name: unknown, pairs: AttributePairs): number {
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return at;
  return -1;
}

function cleanText(text: string): string {
  if (text.length <= LONGEST_VALUE) return redactText(text).slice(0, LONGEST_VALUE);
  return redactText(text.slice(0, LONGEST_VALUE * 2)).slice(0, LONGEST_VALUE);
}
