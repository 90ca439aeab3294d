import type { Json, JsonObject } from "@toolbus/contracts";

/** A hostile schema with the values that are most expensive for it. */
export interface Hostile {
  readonly family: "pattern" | "reference" | "values" | "remote" | "keyword" | "size";
  readonly schema: JsonObject;
  readonly values: readonly Json[];
}

/**
 * Patterns that have taken servers down, each with a text that triggers the problem. They come from OWASP's page on ReDoS, from advisories of npm
 * packages and from papers about them.
 */
const PATTERNS: readonly (readonly [pattern: string, pump: string])[] = [
  ["^(a+)+$", "a"],
  ["^([a-zA-Z]+)*$", "a"],
  ["^(a|aa)+$", "a"],
  ["^(a|a?)+$", "a"],
  ["^(.*a){20}$", "a"],
  ["^(a*)*b$", "a"],
  ["(x+x+)+y", "x"],
  ["(a+){10}y", "a"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["^(\\w+\\s?)*$", "aa "],
  ["^((ab)*)+$", "ab"],
  ["^(a?){40}a{40}$", "a"],
  ["\\s+$", " "],
  ["^[\\s\\u200c]+|[\\s\\u200c]+$", " "],
  ["(\\d+)*x", "1"],
  ["^(\\d|\\d\\d)+$", "1"],
  ["^([0-9a-f]+:?)*g", "f:"],
  ['([^"\']+("[^"]*")?)*x', 'a"b"'],
  ["^(?:.?)+x", "="],
  [".*.*=.*", "x"],
  ["(?:(?:\\.[a-z]+)+)+!", ".a"],
  ["<(?:[^>]+)*>.*<\\/x", "<a"],
  ["^(?:\\w|[ -])+?-+$", "-"],
  ["D[oD]?(\\[[^\\[\\]]*\\]|\\s+)+MMMM?", " "],
  ["^([a-zA-Z0-9])(([.-]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$", "a"],
  ["^[_a-z0-9-]+(\\.[_a-z0-9-]+)*@[a-z0-9-]+(\\.[a-z0-9-]+)*(\\.[a-z]{2,4})$", "a."],
  ['^(([^<>()[\\]\\\\.,;:\\s@"]+(\\.[^<>()[\\]\\\\.,;:\\s@"]+)*)|(".+"))@x$', "a."],
  ["^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$", "a/"],
  ["^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$", "a."],
  ["^((\\+|-)?\\d+(\\.\\d+)?,?)+$", "1,"],
  ["^(?:(\\*|_)(?:(?!\\1).)+\\1)$", "*"],
  ["(?<=a+)+b", "a"],
  ["^(?=(a+))\\1b", "a"],
  ["^(?=.*a)(?=.*b)(?=.*c)(?!.*d{9}).*$", "abc"],
  ["(a{0,500}){0,500}b", "a"],
  ["^.{0,4000}.{0,4000}$", "a"],
  ["[^]{1,2000}x", "a"],
  ["((((((((((a*)*)*)*)*)*)*)*)*)*)b", "a"],
  ["(?:\\p{L}+\\p{M}*)+!", "a"],
  ["(a|b|ab)*(ba|a)*c", "ab"],
];

const WORDS = (
  "$schema $id id $anchor $dynamicAnchor $recursiveAnchor $ref $dynamicRef $recursiveRef $defs definitions $comment $vocabulary $async type enum const " +
  "multipleOf divisibleBy maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format maxItems minItems uniqueItems maxContains " +
  "minContains contains items prefixItems additionalItems unevaluatedItems maxProperties minProperties required dependentRequired properties " +
  "patternProperties additionalProperties propertyNames unevaluatedProperties dependencies dependentSchemas allOf anyOf oneOf not if then else " +
  "contentEncoding contentMediaType contentSchema title description default deprecated readOnly writeOnly examples extends disallow nullable discriminator"
).split(" ");

/** Returns a thousand hostile schemas. The same seed returns the same schemas. */
export function hostileSchemas(seed: number): readonly Hostile[] {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const upTo = (most: number): number => 1 + Math.floor(random() * most);
  const times = <T>(count: number, make: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => make(n));
  return [
    ...times(240, pattern),
    ...times(180, reference),
    ...times(100, values),
    ...times(80, remote),
    ...times(260, keyword),
    ...times(140, size),
  ];

  function pattern(n: number): Hostile {
    const [source, pump] = PATTERNS[n % PATTERNS.length] ?? ["", ""];
    const text = (chars: number): string => `${pump.repeat(Math.ceil(chars / pump.length))}!`;
    const part = { pattern: source };
    const long = [text(28_000), text(300), `${text(9000)}\n${text(9000)}`];
    const many = times(400, (i) => `${text(60)}${i}`);
    switch (Math.floor(n / PATTERNS.length) % 6) {
      case 0:
        return { family: "pattern", schema: part, values: long };
      case 1:
        return { family: "pattern", schema: { items: part, uniqueItems: true }, values: [many, long] };
      case 2:
        return {
          family: "pattern",
          schema: { patternProperties: { [source]: part }, additionalProperties: false },
          values: [named(many), named(long)],
        };
      case 3:
        return { family: "pattern", schema: { propertyNames: part }, values: [named(many), named(long)] };
      case 4:
        return {
          family: "pattern",
          schema: { anyOf: times(20, () => part), not: { oneOf: [part, { items: { not: part } }] } },
          values: [...long, many],
        };
      default:
        return {
          family: "pattern",
          schema: { items: { allOf: [part, { pattern: `${source.slice(0, 300)}` }] }, contains: part, minContains: 9 },
          values: [many],
        };
    }
  }

  function reference(n: number): Hostile {
    const [levels, width] = [upTo(200), upTo(8)];
    const to = (name: string | number): JsonObject => ({ $ref: `#/$defs/${name}` });
    const chain = (next: (n: number) => Json): JsonObject => ({
      ...Object.fromEntries(times(levels, (i) => [i, next(i + 1)])),
      [levels]: { type: "string" },
    });
    const tree = times(9, (i) => i).reduce((inner: Json) => times(width > 3 ? 3 : 2, () => inner) as Json, 1);
    const values: readonly Json[] = [deep(90, "a"), tree, named(times(500, (i) => `n${i}`)), times(9000, () => ({})) as Json];
    const word = pick(["allOf", "anyOf", "oneOf"]);
    switch (n % 6) {
      case 0:
        return { family: "reference", schema: { ...to(0), $defs: chain((i) => to(i)) }, values };
      case 1:
        return { family: "reference", schema: { ...to(0), $defs: chain((i) => ({ [word]: times(width, () => to(i)) })) }, values };
      case 2:
        return {
          family: "reference",
          schema: { [word]: times(width, () => ({ items: { $ref: "#" }, properties: { a: { $ref: "#" } } })) },
          values,
        };
      case 3:
        return { family: "reference", schema: { [word]: [{ $ref: "#" }, { not: { $ref: "#" } }] }, values };
      case 4:
        return {
          family: "reference",
          schema: { $defs: { a: { additionalProperties: to("b") }, b: { items: { [word]: [to("a"), to("b"), to("a")] } } }, ...to("b") },
          values,
        };
      default:
        return {
          family: "reference",
          schema: {
            additionalProperties: { anyOf: times(width, () => ({ $ref: "#" })) },
            unevaluatedItems: { $ref: "#" },
            unevaluatedProperties: { $ref: "#" },
          },
          values,
        };
    }
  }

  function values(n: number): Hostile {
    const count = upTo(n % 3 === 0 ? 20_000 : 3000);
    const given = times(count, (i): Json => (n % 2 === 0 ? `value number ${i}` : { id: { of: [i % 7, { at: i }] } }));
    const asked: readonly Json[] = [
      times(9000, (i) => `value number ${i}`) as Json,
      times(900, (i) => ({ id: { of: [i % 7, { at: -i }] } })) as Json,
    ];
    const part = pick<Json>([
      { enum: given },
      { not: { enum: given } },
      { const: given },
      { anyOf: given.slice(0, 500).map((one) => ({ const: one })) },
    ]);
    return { family: "values", schema: { items: part, uniqueItems: n % 5 === 0 }, values: [...asked, given] };
  }

  function remote(n: number): Hostile {
    const where = pick([
      "http://10.0.0.1/s.json",
      "https://example.com/s#/a",
      "file:///etc/passwd",
      "urn:example:s",
      "//host/s",
      "other.json",
      "/abs",
      "data:,{}",
      "ftp://x/y",
      "?q",
    ]);
    const ref: JsonObject = n % 4 === 0 ? { $dynamicRef: where } : { $ref: where };
    return {
      family: "remote",
      schema: { $id: "https://example.com/base", properties: { a: n % 3 === 0 ? { $id: "inner", allOf: [ref] } : ref } },
      values: [{ a: 1 }],
    };
  }

  function keyword(n: number): Hostile {
    const word = WORDS[n % WORDS.length] ?? "";
    const inner = (): Json =>
      pick<Json>([true, false, {}, { type: "string" }, { $ref: "#" }, { not: {} }, { pattern: "^(a+)+$" }, { required: ["a", "b"] }]);
    const value = pick<() => Json>([
      inner,
      () => times(upTo(4), inner) as Json,
      () => ({ a: inner(), b: inner(), "^(a+)+$": inner() }),
      () =>
        pick<Json>([
          true,
          0,
          -1,
          1.5,
          1e308,
          "",
          "#",
          "date",
          "url",
          "(",
          null,
          ["a", "b"],
          ["a", "a"],
          { a: ["b"] },
          { $data: "1/a" },
          "string",
          ["string", "null"],
        ]),
    ])();
    const second = pick(WORDS);
    const schema: JsonObject = { [word]: value, ...(n % 2 === 0 ? {} : { [second]: inner() }) };
    return { family: "keyword", schema: n % 3 === 0 ? { items: schema, properties: { a: schema } } : schema, values: ordinary() };
  }

  function size(): Hostile {
    const count = upTo(2500);
    const names = times(count, (i) => `property_${i}`);
    const wide = { properties: Object.fromEntries(names.map((name) => [name, { type: "string", default: "d".repeat(upTo(40)) }])) };
    const schema = pick<() => JsonObject>([
      () => ({ items: { required: names } }),
      () => ({ items: wide, ...wide }),
      () => ({ items: { anyOf: times(upTo(600), (i) => ({ minimum: i, required: names.slice(0, 3) })) } }),
      () => ({
        oneOf: times(upTo(40), () => ({ items: { anyOf: times(12, () => ({ uniqueItems: true, contains: { type: "null" } })) } })),
      }),
      () => ({ items: { dependentRequired: Object.fromEntries(names.slice(0, 200).map((name) => [name, names.slice(0, 9)])) } }),
      () => deep(upTo(80), "not") as JsonObject,
      () => ({ items: { properties: { a: { default: times(upTo(3000), (i) => i) as Json } } } }),
      () => ({
        description: "x".repeat(upTo(100_000)),
        items: { format: pick(["url", "uri", "email", "hostname", "ipv6", "uri-template", "regex", "json-pointer"]) },
      }),
      () => ({ items: { unevaluatedProperties: false, allOf: times(upTo(60), () => wide) } }),
    ])();
    return { family: "size", schema, values: [...ordinary(), named(names), times(12, () => `http://${":@a.".repeat(480)}`) as Json] };
  }

  function ordinary(): readonly Json[] {
    return [
      times(9000, () => ({})) as Json,
      times(9000, (i) => (i % 9) as Json),
      named(times(1500, (i) => `n${i}`)),
      deep(90, "a"),
      `${"a".repeat(28_000)}!`,
      times(1000, () => [[], [null], {}]) as Json,
    ];
  }
}

function named(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, name]));
}

function deep(levels: number, name: string): Json {
  let value: Json = {};
  for (let level = 0; level < levels; level++) value = { [name]: value };
  return value;
}

/** Returns a Mulberry32 generator. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
