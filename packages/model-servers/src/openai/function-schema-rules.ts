import type { Rule } from "../wire/rule.ts";
import { isJsonSchema } from "../wire/json-schema.ts";
import { typesOf } from "../wire/schema-walk.ts";
import { eachParameters, eachSchema, type HasFunctions } from "./function-schemas.ts";
import { geminiSchemaRules } from "./gemini-schema-rules.ts";
import { ollamaSchemaRules } from "./ollama-schema-rules.ts";
import { strictSchemaRules } from "./strict-schema-rules.ts";

/** The rules for the schemas of functions. The rules of all vendors are first, then the rules of single vendors. */
export const functionSchemaRules: readonly Rule<HasFunctions>[] = [
  {
    name: "root of the parameters is an object",
    status: 400,
    source: "https://github.com/chatanywhere/GPT_API_free/issues/403",
    check: (ask) =>
      eachParameters(ask, (schema) =>
        schema["type"] === "object"
          ? null
          : `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(schema["type"] ?? null)}'.`,
      ),
  },
  {
    name: "no union at the root of the parameters",
    status: 400,
    source: "https://github.com/nspady/google-calendar-mcp/issues/39",
    check: (ask) =>
      eachParameters(ask, (schema) =>
        ["oneOf", "anyOf", "allOf", "enum", "not"].some((word) => word in schema)
          ? "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
          : null,
      ),
  },
  {
    name: "arrays have items",
    status: 400,
    source: "https://github.com/streamnative/streamnative-mcp-server/issues/26",
    check: (ask) =>
      eachSchema(ask, ({ schema }) => (typesOf(schema).includes("array") && !("items" in schema) ? "array schema missing items." : null)),
  },
  ...strictSchemaRules,
  ...geminiSchemaRules,
  ...ollamaSchemaRules,
  // This rule is last, because it is slow and the other rules give more detail.
  {
    name: "parameters are JSON Schema",
    status: 400,
    source: "https://developers.openai.com/api/docs/guides/function-calling",
    unconfirmed: true,
    check: (ask) =>
      eachParameters(ask, (schema) => (isJsonSchema(schema) ? null : "the schema is not valid under any of the given schemas.")),
  },
];
