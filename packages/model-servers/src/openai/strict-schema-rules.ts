import type { JsonObject } from "@toolbus/contracts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Rule } from "../wire/rule.ts";
import { refTarget, schemasIn, typesOf } from "../wire/schema-walk.ts";
import { eachParameters, eachSchema, type HasFunctions } from "./function-schemas.ts";

const guide = "https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas";
const sdk = "openai SDK src/lib/transform.ts, JSON_SCHEMA_UNSUPPORTED_SCHEMA_KEYWORDS";

/** The additional rules of `strict: true` for a function's schema. */
export const strictSchemaRules: readonly Rule<HasFunctions>[] = [
  {
    name: "strict: only supported keywords",
    status: 400,
    source: sdk,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) => {
        const word = isStrict(tool) ? Object.keys(schema).find((key) => UNSUPPORTED.has(key)) : undefined;
        return word === undefined ? null : `'${word}' is not permitted.`;
      }),
  },
  {
    name: "strict: no default",
    status: 400,
    source: "https://zenn.dev/nicopin/scraps/a8d8f53f5faebb",
    unconfirmed: true,
    check: (ask) => eachSchema(ask, ({ schema }, tool) => (isStrict(tool) && "default" in schema ? "'default' is not permitted." : null)),
  },
  {
    name: "strict: every schema has a type",
    status: 400,
    source: guide,
    unconfirmed: true,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) =>
        isStrict(tool) && !["type", "anyOf", "$ref", "enum", "const"].some((word) => word in schema)
          ? "schema must have a 'type' key."
          : null,
      ),
  },
  {
    name: "strict: objects are closed",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) =>
        isStrict(tool) && isObject(schema) && schema["additionalProperties"] !== false
          ? "'additionalProperties' is required to be supplied and to be false."
          : null,
      ),
  },
  {
    name: "strict: every property is required",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) => {
        if (!isStrict(tool) || !isObject(schema)) return null;
        const required = listOf(schema["required"]);
        const missing = Object.keys(objectOf(schema["properties"])).find((key) => !required.includes(key));
        return missing === undefined
          ? null
          : `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
      }),
  },
  {
    name: "strict: required names properties",
    status: 400,
    source: guide,
    unconfirmed: true,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) => {
        if (!isStrict(tool)) return null;
        const extra = listOf(schema["required"]).find((key) => !Object.hasOwn(objectOf(schema["properties"]), textOf(key)));
        return extra === undefined
          ? null
          : `'required' is required to be supplied and to be an array including every key in properties. Extra required key '${textOf(extra)}' supplied.`;
      }),
  },
  {
    name: "strict: $ref has no siblings and points into the schema",
    status: 400,
    source: guide,
    unconfirmed: true,
    check: (ask) =>
      eachParameters(ask, (root, tool) => {
        if (!isStrict(tool)) return null;
        const refs = schemasIn(root).filter(({ schema }) => typeof schema["$ref"] === "string");
        const crowded = refs.find(({ schema }) => Object.keys(schema).length > 1);
        if (crowded) return `$ref cannot have keywords {'${Object.keys(crowded.schema).find((word) => word !== "$ref") ?? ""}'}.`;
        const lost = refs.find(({ schema }) => refTarget(root, textOf(schema["$ref"])) === undefined);
        return lost
          ? `reference can only point to definitions defined at the top level of the schema: '${textOf(lost.schema["$ref"])}'.`
          : null;
      }),
  },
  {
    name: "strict: known formats",
    status: 400,
    source: guide,
    unconfirmed: true,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) =>
        isStrict(tool) && typeof schema["format"] === "string" && !FORMATS.has(schema["format"])
          ? `'${schema["format"]}' is not a valid format.`
          : null,
      ),
  },
  {
    name: "strict: at most 10 levels",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachParameters(ask, (schema, tool) => {
        const depth = Math.max(...schemasIn(schema).map((at) => at.depth));
        return isStrict(tool) && depth > 10 ? `${depth} levels of nesting exceeds limit of 10.` : null;
      }),
  },
  {
    name: "strict: at most 5000 properties",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachParameters(ask, (schema, tool) => {
        const count = schemasIn(schema).reduce((sum, at) => sum + Object.keys(objectOf(at.schema["properties"])).length, 0);
        return isStrict(tool) && count > 5000 ? `schema exceeds limit of 5000 properties: ${count}.` : null;
      }),
  },
  {
    name: "strict: at most 1000 enum values",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachParameters(ask, (schema, tool) => {
        const count = schemasIn(schema).reduce((sum, at) => sum + listOf(at.schema["enum"]).length, 0);
        return isStrict(tool) && count > 1000 ? `schema exceeds limit of 1000 enum values: ${count}.` : null;
      }),
  },
  {
    name: "strict: a long enum has at most 15000 characters",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachSchema(ask, ({ schema }, tool) => {
        const values = listOf(schema["enum"]);
        const length = values.reduce<number>((sum, value) => sum + textOf(value).length, 0);
        return isStrict(tool) && values.length > 250 && length > 15_000
          ? `enum of more than 250 values exceeds limit of 15000 characters: ${length}.`
          : null;
      }),
  },
  {
    name: "strict: names and values have at most 120000 characters",
    status: 400,
    source: `${guide} as copied at jsonschemaprofiles.unitvectorylabs.com/schemas/openai`,
    check: (ask) =>
      eachParameters(ask, (schema, tool) => {
        const length = schemasIn(schema).reduce((sum, at) => sum + namesIn(at.schema).join("").length, 0);
        return isStrict(tool) && length > 120_000 ? `total string length exceeds limit of 120000 characters: ${length}.` : null;
      }),
  },
];

/** Returns true for a tool in strict mode. Only OpenAI has this mode, but this server checks it for every vendor. */
function isStrict(tool: JsonObject): boolean {
  return tool["strict"] === true;
}

function isObject(schema: JsonObject): boolean {
  return typesOf(schema).includes("object") || "properties" in schema;
}

function namesIn(schema: JsonObject): readonly string[] {
  const names = ["properties", "$defs", "definitions"].flatMap((word) => Object.keys(objectOf(schema[word])));
  return [...names, ...listOf(schema["enum"]).map(textOf), textOf(schema["const"])];
}

const FORMATS: ReadonlySet<string> = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

const UNSUPPORTED: ReadonlySet<string> = new Set([
  "$anchor",
  "$dynamicAnchor",
  "$dynamicRef",
  "$recursiveAnchor",
  "$recursiveRef",
  "additionalItems",
  "allOf",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "else",
  "if",
  "maxContains",
  "maxProperties",
  "minContains",
  "minProperties",
  "not",
  "oneOf",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
]);
