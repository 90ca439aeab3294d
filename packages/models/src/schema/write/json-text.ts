import type { Json } from "@toolbus/contracts";
import type { Shape } from "../shape.ts";
import { describe } from "./describe.ts";
import { lose, type WriteResult, type Writing, type Spot } from "./writing.ts";

export interface JsonText {
  /** The kind of value in the text. */
  readonly form: "value" | "object" | "array" | "number" | "boolean";
  /** The only accepted values, or null for any value. */
  readonly values: readonly Json[] | null;
}

/**
 * Writes a part that the dialect cannot express. The part becomes a string that contains the JSON of the value. `restoreArguments` parses this string
 * later, so no value is lost.
 */
export function asJsonText(shape: Shape, spot: Spot, writing: Writing, { form, values }: JsonText): WriteResult {
  const texts = values ? textsOf(values, shape, writing) : null;
  const notes = texts
    ? "One of the listed JSON texts."
    : `Written as JSON text${form === "value" ? "" : ` of ${form === "object" || form === "array" ? "an" : "a"} ${form}`}${outline(shape, form)}.`;
  const description = describe(shape, spot.name, [notes, ...spot.notes], writing);
  return {
    ok: true,
    schema: { type: "string", description, ...(texts ? { enum: texts } : {}) },
    plan: { kind: "json" },
  };
}

function textsOf(values: readonly Json[], shape: Shape, writing: Writing): readonly string[] | null {
  try {
    const texts = values.map((value) => JSON.stringify(value).toWellFormed());
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    if (chars <= writing.rules.enumChars && writing.enumValues + texts.length <= writing.rules.enumValues) {
      writing.enumValues += texts.length;
      return [...new Set(texts)];
    }
  } catch {
    // A value is too deep to be written.
  }
  lose(writing, shape.at, `A list of ${values.length} values is too long to be passed on.`);
  return null;
}

/**
 * Returns a text with the names of an object's members, because the vendor does not receive the object's schema. The text is empty if the names are
 * too long.
 */
function outline({ kinds }: Shape, form: JsonText["form"]): string {
  const names = form === "object" ? [...(kinds.object?.members.properties.keys() ?? [])] : [];
  const text = names.slice(0, MAX_NAMES).join(", ");
  return names.length === 0 || text.length > MAX_TEXT ? "" : ` with ${text}${names.length > MAX_NAMES ? " and more" : ""}`;
}

const MAX_NAMES = 12;
const MAX_TEXT = 300;
