import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { arrayChecks, unevaluatedItems } from "./array-checks.ts";
import { type Check, Seen } from "./check.ts";
import { combinedChecks } from "./combined-checks.ts";
import type { Here } from "./here.ts";
import { SCHEMA_LIMITS } from "./limits.ts";
import { linearPattern } from "./linear-pattern.ts";
import { objectChecks, unevaluatedMembers } from "./object-checks.ts";
import { PatternFault } from "./pattern-syntax.ts";
import { anchorsOf, findReference } from "./references.ts";
import { below, quoted, refuse } from "./schema-fault.ts";
import { numberChecks, stringChecks, typeChecks, valueChecks } from "./value-checks.ts";

/** A schema that is compiled or is about to be, with the schemas that check the same value again. */
interface Node {
  readonly pointer: string;
  check: Check;
  readonly same: (() => Node)[];
}

type Limit = keyof typeof SCHEMA_LIMITS;

/** Keywords with a meaning that this compiler does not implement. If it ignored them, the schema would accept more values than its author meant. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["$async", "is not a JSON Schema keyword: it would make a check asynchronous. Leave it out"],
  ["$dynamicRef", "is not accepted. Write $ref with a pointer into this schema"],
  ["$recursiveRef", "is not accepted. Write $ref with a pointer into this schema"],
  ["extends", "is a keyword of draft-03. Write allOf"],
  ["disallow", "is a keyword of draft-03. Write not"],
  ["divisibleBy", "is a keyword of draft-03. Write multipleOf"],
]);

const DIALECTS = /^https?:\/\/json-schema\.org\/(draft-0[4-7]|draft\/20(19-09|20-12))\/schema#?$/;

const WHAT: Readonly<Record<Limit, string>> = {
  chars: "characters",
  depth: "levels",
  schemas: "schemas",
  refs: "references",
  alternatives: "alternatives",
  values: "listed values",
  properties: "properties",
  looks: "looks at one value",
  patternChars: "characters in one pattern",
  patternStates: "states of patterns, repeats written out",
};

/**
 * Compiles a schema into functions. It supports every keyword of drafts 4 to 2020-12 that constrains a value, with the meaning of 2020-12. It ignores
 * other words. No text of the schema becomes code. Throws `SchemaRefused` if the value is not a schema, or exceeds a limit.
 */
export function compileForeign(root: Json): Check {
  const used = new Map<Limit, number>();
  const nodes = new Map<Json, Node>();
  const tracks = asksForTheRest(root);
  const anchors = anchorsOf(root);
  const first = nodeOf(root, "");
  refuseEndless([first, ...nodes.values()]);
  return first.check;

  function nodeOf(schema: Json, pointer: string): Node {
    const known = isJsonObject(schema) ? nodes.get(schema) : undefined;
    if (known) return known;
    count("schemas", 1, pointer);
    const node: Node = { pointer, check: () => true, same: [] };
    if (schema === false) node.check = (_, run) => run.report("boolean schema is false");
    if (typeof schema === "boolean") return node;
    if (!isJsonObject(schema)) return refuse(pointer, "This is not a schema: it must be an object, true or false.");
    nodes.set(schema, node);
    node.check = checkOf(schema, hereAt(node));
    return node;
  }

  function checkOf(schema: JsonObject, here: Here): Check {
    refuseWords(schema, here);
    for (const word of ["$defs", "definitions"]) if (schema[word] !== undefined) here.map(word, schema[word], "member");
    const checks = [
      ...typeChecks(schema, here),
      ...valueChecks(schema, here),
      ...combinedChecks(schema, here),
      ...numberChecks(schema, here),
      ...stringChecks(schema, here),
      ...arrayChecks(schema, here),
      ...objectChecks(schema, here),
      ...unevaluatedItems(schema, here),
      ...unevaluatedMembers(schema, here),
    ];
    const cost = 1 + checks.length;
    if (tracks)
      return (value, run, seen) => {
        run.spend(cost + 4);
        const own = new Seen();
        let fits = true;
        for (const check of checks) if (!check(value, run, own)) fits = false;
        if (fits) seen?.add(own, run);
        return fits;
      };
    return (value, run) => {
      run.spend(cost);
      let fits = true;
      for (const check of checks) if (!check(value, run, null)) fits = false;
      return fits;
    };
  }

  function hereAt(node: Node): Here {
    const { pointer } = node;
    const here: Here = {
      refuse: (word, reason) => refuse(below(pointer, word), `${quoted(word)} ${reason}.`),
      count: (limit, by, word) => count(limit, by, below(pointer, word)),
      number(schema, word) {
        const value = schema[word];
        if (value === undefined) return undefined;
        return typeof value === "number" && Number.isFinite(value) ? value : here.refuse(word, "must be a number");
      },
      size(schema, word) {
        const value = here.number(schema, word);
        if (value === undefined) return undefined;
        return Number.isInteger(value) && value >= 0 ? value : here.refuse(word, "must be a whole number from 0 on");
      },
      texts(word, value) {
        if (!Array.isArray(value)) return here.refuse(word, "must be a list of texts");
        const list = value as readonly Json[];
        count("properties", list.length, below(pointer, word));
        const texts = list.filter((text) => typeof text === "string");
        if (texts.length < list.length || new Set(texts).size < list.length) here.refuse(word, "must be a list of texts, each once");
        return texts;
      },
      pattern(word, source, member) {
        const at = member === undefined ? below(pointer, word) : below(below(pointer, word), member);
        if (typeof source !== "string") return here.refuse(word, "must be a text");
        if (source.length > SCHEMA_LIMITS.patternChars)
          return refuse(at, `The pattern has more than ${SCHEMA_LIMITS.patternChars} characters.`);
        try {
          const made = linearPattern(source, SCHEMA_LIMITS.patternStates);
          count("patternStates", made.states, at);
          return made;
        } catch (error) {
          if (!(error instanceof PatternFault)) throw error;
          return refuse(at, `The pattern ${quoted(source)} ${error.message}.`);
        }
      },
      schema(value, place, about) {
        const inner = nodeOf(
          value,
          place.reduce((at: string, one) => below(at, one), pointer),
        );
        if (about === "same") node.same.push(() => inner);
        return called(inner);
      },
      list(word, value, about) {
        if (!Array.isArray(value) || value.length === 0) return here.refuse(word, "must be a list of schemas, at least one");
        return (value as readonly Json[]).map((one, index) => here.schema(one, [word, index], about));
      },
      map(word, value, about) {
        if (!isJsonObject(value)) return here.refuse(word, "must be an object of schemas");
        return new Map(Object.entries(value).map(([name, one]) => [name, here.schema(one, [word, name], about)]));
      },
      reference(value) {
        const at = below(pointer, "$ref");
        if (typeof value !== "string") return here.refuse("$ref", "must be a text");
        count("refs", 1, at);
        const target = findReference(root, value, { at, anchors });
        const inner = nodeOf(target.schema, target.pointer);
        node.same.push(() => inner);
        return called(inner);
      },
    };
    return here;
  }

  function count(limit: Limit, by: number, pointer: string): void {
    const total = (used.get(limit) ?? 0) + by;
    used.set(limit, total);
    if (total > SCHEMA_LIMITS[limit]) refuse(pointer, `The schema has more than ${SCHEMA_LIMITS[limit]} ${WHAT[limit]}.`);
  }
}

/** Returns a check that looks up the node when it is called. A schema that contains itself is not yet compiled when a reference names it. */
function called(node: Node): Check {
  return (value, run, seen) => node.check(value, run, seen);
}

function refuseWords(schema: JsonObject, here: Here): void {
  for (const word of Object.keys(schema)) {
    const why = REFUSED.get(word);
    if (why !== undefined) here.refuse(word, why);
  }
  const { $schema } = schema;
  if ($schema !== undefined && !(typeof $schema === "string" && DIALECTS.test($schema)))
    here.refuse("$schema", "names an unknown dialect. Write JSON Schema 2020-12, or leave it out");
}

/** Throws `SchemaRefused` if one value would be checked too often. References and alternatives multiply the checks. */
function refuseEndless(nodes: readonly Node[]): void {
  const looks = new Map<Node, number>();
  const visit = (node: Node, above: ReadonlySet<Node>): number => {
    const known = looks.get(node);
    if (known !== undefined) return known;
    if (above.has(node)) return refuse(node.pointer, "The schema refers to itself for the same value, so a check would never end.");
    const inside = new Set(above).add(node);
    const total = node.same.reduce((sum, next) => sum + visit(next(), inside), 1);
    if (total > SCHEMA_LIMITS.looks)
      refuse(node.pointer, `With references and alternatives expanded, it looks more than ${SCHEMA_LIMITS.looks} times at one value.`);
    looks.set(node, total);
    return total;
  };
  for (const node of nodes) visit(node, new Set());
}

/** Returns whether any keyword needs the unevaluated parts. If one does, every check records the parts that it evaluated. */
function asksForTheRest(schema: Json): boolean {
  const open: Json[] = [schema];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (isJsonObject(part) && (Object.hasOwn(part, "unevaluatedProperties") || Object.hasOwn(part, "unevaluatedItems"))) return true;
    if (typeof part === "object" && part !== null) open.push(...(Object.values(part) as Json[]));
  }
  return false;
}
