import type { Random } from "./random.ts";

/** Makes another body from a JSON object. */
export type BodyMutation = (body: string, random: Random) => string;

/** Mutations that make one fault in a body or in one of its fields. After some of them the body is still valid. */
export const bodyMutations: Readonly<Record<string, BodyMutation>> = {
  "not JSON at all": (_, random) => random.noise(200),
  "an empty body": (_, random) => random.pick(["", " ", "\n", "\u0000"]),
  "truncated JSON": (body, random) => body.slice(0, 1 + random.below(Math.max(1, body.length - 2))),
  "one character changed": (body, random) => {
    const at = random.below(body.length);
    return body.slice(0, at) + random.noise(1) + body.slice(at + 1);
  },
  "almost JSON": (body, random) => random.pick(ALMOST_JSON)(body),
  "JSON of another type": (_, random) => random.pick(["null", "true", "0", "1e999", '""', '"x"', "[]", "[{}]", "{}", "[null]"]),
  "deeply nested": (_, random) => {
    const depth = random.pick([100, 5000, 60_000]);
    return random.pick([nestedLists(depth), "[".repeat(depth), nestedObjects(depth)]);
  },
  "a field missing": (body, random) => withField(body, random.pick(fieldsOf(body)), null),
  "a field of another value": (body, random) => withField(body, random.pick(fieldsOf(body)), hostileValue(random)),
  "a field of long text": (body, random) => {
    const text = random.pick(["x", "é", "💥", "\\", "\u0001"]).repeat(random.pick([700, 700, 5000, 40_000]));
    return withField(body, random.pick(fieldsOf(body)), JSON.stringify(text));
  },
  "a field of odd text": (body, random) => withField(body, random.pick(fieldsOf(body)), JSON.stringify(random.noise(40))),
  "a field too many": (body, random) => {
    const name = random.pick(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "", "$ref", random.noise(10)]);
    return body.replace("{", () => `{${JSON.stringify(name)}:${hostileValue(random)},`);
  },
  "a field given twice": (body, random) => {
    const name = random.pick(fieldsOf(body)).at(-1) ?? "";
    return body.replace(/\}$/, () => `,${JSON.stringify(name)}:${hostileValue(random)}}`);
  },
};

const ALMOST_JSON: readonly ((body: string) => string)[] = [
  (body) => `\ufeff${body}`,
  (body) => `${body},`,
  (body) => body + body,
  (body) => `/* */${body}`,
  (body) => body.replaceAll('"', "'"),
  (body) => `<${body}/>`,
  () => "NaN",
  () => '{"a":Infinity}',
  () => '{"a":01}',
];

// oxfmt-ignore
const PLAIN: readonly string[] = [
  "null", "true", "0", "-1", "0.5", "1e999", "-1e999", "1e-400", "9007199254740993", "-9007199254740993", "1e308", "-0",
  '""', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"\\u202e\\u200b"', '"__proto__"', '"constructor"', '" "',
  "[]", "{}", "[null]", '{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}', '{"toString":1}',
];

/** JSON text on which a careless reader would fail. */
const HOSTILE: readonly string[] = [
  ...PLAIN,
  nestedLists(3000),
  nestedObjects(3000),
  // A call's arguments are JSON within a string.
  ...[
    `{"n":${"9".repeat(400)}}`,
    nestedLists(10_000),
    '{"n":1,"n":2}',
    '{"n": 3 , "to":"nobody"}',
    '{"__proto__":{"n":3},"n":3,"to":"nobody"}',
    '{"n":3,"to":"\ud800"}',
  ].map((text) => JSON.stringify(text)),
];

function hostileValue(random: Random): string {
  return random.chance(0.1) ? JSON.stringify(random.noise(60)) : random.pick(HOSTILE);
}

function nestedLists(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function nestedObjects(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

type Path = readonly string[];

/** Returns the paths of an object's members, at most three levels down. */
function fieldsOf(body: string): readonly Path[] {
  const paths: Path[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null || path.length === 3) return;
    for (const [name, member] of Object.entries(value)) {
      paths.push([...path, name]);
      visit(member, [...path, name]);
    }
  };
  visit(JSON.parse(body), []);
  return paths.length > 0 ? paths : [["none"]];
}

/** Returns the JSON text with one member replaced by other JSON text, or removed if `text` is null. */
function withField(body: string, path: Path, text: string | null): string {
  return changed(JSON.parse(body), path, text) ?? "null";
}

function changed(value: unknown, [name, ...rest]: Path, text: string | null): string | null {
  if (name === undefined) return text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([own, member]) => {
    const json = own === name ? changed(member, rest, text) : JSON.stringify(member);
    return json === null ? [] : [Array.isArray(value) ? json : `${JSON.stringify(own)}:${json}`];
  });
  return Array.isArray(value) ? `[${members.join(",")}]` : `{${members.join(",")}}`;
}
