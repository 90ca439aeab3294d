import { isJsonObject } from "@toolbus/contracts";
import type { DraftDefinition } from "../tool/tool.ts";
import { type Finding, warning } from "./finding.ts";

/**
 * Checks the description, because a model has nothing else when it chooses a tool. A description should state four things: the purpose, the limits of
 * the input with an example, the form of the output, and what the tool is not for.
 */
export function lintDescription({ description, parameters }: DraftDefinition): readonly Finding[] {
  const properties = isJsonObject(parameters["properties"]) ? Object.values(parameters["properties"]) : [];
  const parts = properties.filter(isJsonObject);
  const texts = [description, ...parts.map((part) => (typeof part["description"] === "string" ? part["description"] : ""))];
  const hasExample = texts.some((text) => EXAMPLE.test(text)) || parts.some((part) => part["examples"] !== undefined);
  const missing: readonly (readonly [boolean, string, string, string])[] = [
    [
      description.trim().split(/\s+/).length < 5,
      "purpose",
      "does not say what the tool is for",
      "Begin with one sentence that says what it does, to what.",
    ],
    [
      properties.length > 0 && !hasExample,
      "limits",
      "gives no example of the input",
      'Add the limits of the input and an example, such as: for example "ORD-8821".',
    ],
    [!OUTPUT.test(description), "output", "does not say what comes back", "Add a sentence that begins with Output: and names the fields."],
    [
      !NOT_FOR.test(description),
      "not_for",
      "does not say what the tool is not for",
      "Add a sentence that begins with Do not use it for, and names the tool to use instead.",
    ],
  ];
  return missing
    .filter(([lacks]) => lacks)
    .map(([, what, says, remedy]) => warning(`description_${what}`, "/description", `The description ${says}.`, remedy));
}

const EXAMPLE = /\b(for example|for instance|such as|e\.g\.|example:)/i;
const OUTPUT = /\b(outputs?|returns?|gives?|answers? with|result|yields?)\b/i;
const NOT_FOR = /\b(do not use|don't use|not for|never use|not to be used|not intended for|instead use|use \w+ instead)\b/i;
