import { isJsonObject } from "@toolbus/contracts";
import { listOf, objectOf } from "../wire/fields.ts";
import type { Finding, Rule } from "../wire/rule.ts";
import { eachSchema, type HasFunctions } from "./function-schemas.ts";
import type { SchemaAt } from "../wire/schema-walk.ts";

/** The rules of Ollama's Go reader for schemas, in the strictest version in use. */
export const ollamaSchemaRules: readonly Rule<HasFunctions>[] = [
  {
    name: "Ollama: type is one string",
    status: 400,
    source: "https://github.com/ollama/ollama/issues/10328 (newer versions accept a list)",
    check: (ask) =>
      eachOllama(ask, ({ schema }) =>
        Array.isArray(schema["type"])
          ? "json: cannot unmarshal array into Go struct field .tools.function.parameters.properties.type of type string"
          : null,
      ),
  },
  {
    name: "Ollama: properties are objects",
    status: 400,
    source: "https://github.com/ollama/ollama/issues/14256",
    check: (ask) =>
      eachOllama(ask, ({ schema }) => {
        const properties = schema["properties"];
        if (properties === undefined) return null;
        return isJsonObject(properties) && Object.values(objectOf(properties)).every(isJsonObject)
          ? null
          : "json: cannot unmarshal into Go struct field ToolFunctionParameters.tools.function.parameters.properties of type api.ToolProperty";
      }),
  },
  {
    name: "Ollama: required is a list of strings",
    status: 400,
    source: "https://github.com/leonardcser/smelt/issues/26",
    check: (ask) =>
      eachOllama(ask, ({ schema: { required } }) =>
        required === undefined || (Array.isArray(required) && listOf(required).every((name) => typeof name === "string"))
          ? null
          : "json: cannot unmarshal into Go struct field ToolFunctionParameters.tools.function.parameters.required of type []string",
      ),
  },
];

function eachOllama(ask: HasFunctions, check: (at: SchemaAt) => string | null): Finding | null {
  return ask.vendor.name === "ollama" ? eachSchema(ask, check) : null;
}
