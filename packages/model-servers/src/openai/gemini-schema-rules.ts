import type { JsonObject } from "@toolbus/contracts";
import { listOf, objectOf, textOf } from "../wire/fields.ts";
import type { Finding, Rule } from "../wire/rule.ts";
import { eachSchema, type HasFunctions } from "./function-schemas.ts";

const schemaPage = "https://ai.google.dev/api/caching#Schema";

/** Gemini's additional rules. Gemini is the model behind OpenRouter here, because its rules are the strictest of all models there. */
export const geminiSchemaRules: readonly Rule<HasFunctions>[] = [
  {
    name: "Gemini: function name begins with a letter",
    status: 400,
    source: "https://github.com/cline/cline/issues/7339",
    check(ask) {
      const at = isGemini(ask) ? ask.functions.findIndex((tool) => !/^[a-zA-Z_]/.test(textOf(tool["name"]))) : -1;
      return at < 0
        ? null
        : `GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore.`;
    },
  },
  {
    name: "Gemini: only known keywords",
    status: 400,
    source: `${schemaPage} and https://github.com/zed-industries/zed/issues/44875 (const), https://github.com/tailcallhq/forgecode/pull/3426 (propertyNames), https://github.com/router-for-me/CLIProxyAPI/issues/97 ($schema)`,
    check: (ask) =>
      eachGemini(ask, (schema) => {
        const word = Object.keys(schema).find((key) => !WORDS.has(key));
        return word === undefined ? null : `Invalid JSON payload received. Unknown name "${word}": Cannot find field.`;
      }),
  },
  {
    name: "Gemini: additionalProperties is false or absent",
    status: 400,
    source:
      "https://github.com/nanbingxyz/5ire/issues/42 (Gemini refused the keyword in 2025, but this server accepts false, because OpenRouter and later versions of Gemini do)",
    unconfirmed: true,
    check: (ask) =>
      eachGemini(ask, (schema) =>
        "additionalProperties" in schema && schema["additionalProperties"] !== false
          ? 'Invalid JSON payload received. Unknown name "additionalProperties": Cannot find field.'
          : null,
      ),
  },
  {
    name: "Gemini: type is one string",
    status: 400,
    source: schemaPage,
    unconfirmed: true,
    check: (ask) =>
      eachGemini(ask, (schema) =>
        Array.isArray(schema["type"]) ? "Invalid JSON payload received. Proto field is not repeating, cannot start list: type." : null,
      ),
  },
  {
    name: "Gemini: every schema has a type or anyOf",
    status: 400,
    source: schemaPage,
    unconfirmed: true,
    check: (ask) => eachGemini(ask, (schema) => ("type" in schema || "anyOf" in schema ? null : "type: missing field.")),
  },
  {
    name: "Gemini: enum values are strings",
    status: 400,
    source: schemaPage,
    unconfirmed: true,
    check: (ask) =>
      eachGemini(ask, (schema) =>
        "enum" in schema &&
        (schema["type"] !== "string" || listOf(schema["enum"]).some((value) => typeof value !== "string" || value === ""))
          ? "enum: only allowed for STRING type, with values that are not empty."
          : null,
      ),
  },
  {
    name: "Gemini: required names properties",
    status: 400,
    source: schemaPage,
    unconfirmed: true,
    check: (ask) =>
      eachGemini(ask, (schema) => {
        const at = listOf(schema["required"]).findIndex((key) => !Object.hasOwn(objectOf(schema["properties"]), textOf(key)));
        return at < 0 ? null : `required[${at}]: property is not defined.`;
      }),
  },
  {
    name: "Gemini: known formats",
    status: 400,
    source: schemaPage,
    unconfirmed: true,
    check: (ask) =>
      eachGemini(ask, (schema) =>
        schema["type"] === "string" && "format" in schema && !["enum", "date-time"].includes(textOf(schema["format"]))
          ? "format: only 'enum' and 'date-time' are supported for STRING type."
          : null,
      ),
  },
];

function isGemini({ vendor }: HasFunctions): boolean {
  return vendor.name === "openrouter";
}

function eachGemini(ask: HasFunctions, check: (schema: JsonObject) => string | null): Finding | null {
  return isGemini(ask) ? eachSchema(ask, ({ schema }) => check(schema)) : null;
}

const WORDS: ReadonlySet<string> = new Set([
  "additionalProperties",
  "anyOf",
  "default",
  "description",
  "enum",
  "example",
  "format",
  "items",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "nullable",
  "pattern",
  "properties",
  "propertyOrdering",
  "required",
  "title",
  "type",
]);
