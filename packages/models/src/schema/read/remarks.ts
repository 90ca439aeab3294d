import type { Json, JsonObject } from "@toolbus/contracts";

export interface Remarks {
  readonly title: string;
  readonly description: string;
  /** Additional sentences for the model. */
  readonly hints: readonly string[];
  /** True if null means the same as an absent value. */
  readonly nullByDefault: boolean;
}

/** Returns the schema's annotations. Vendors accept a description but drop or refuse the other annotations, so the description repeats them. */
export function remarks(schema: JsonObject): Remarks {
  const { title, description, default: preset, contentMediaType, contentEncoding } = schema;
  const hints: string[] = [];
  if (preset !== undefined && preset !== null && preset !== "") {
    const shown = shortly(preset);
    if (shown !== null) hints.push(`Default: ${shown}.`);
  }
  if (schema["deprecated"] === true) hints.push("Deprecated.");
  if (typeof contentMediaType === "string") hints.push(`Holds ${contentMediaType.slice(0, MAX_SHOWN)}.`);
  if (typeof contentEncoding === "string") hints.push(`Encoded as ${contentEncoding.slice(0, MAX_SHOWN)}.`);
  return { title: textOf(title), description: textOf(description), hints, nullByDefault: preset === null };
}

const MAX_SHOWN = 80;
/** The maximum length of an annotation. It is above every vendor's limit. */
const MAX_TEXT = 20_000;

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}

/** Returns the value as JSON text if that text is short, else null. */
function shortly(value: Json): string | null {
  if (typeof value === "string") return value.length > MAX_SHOWN ? null : JSON.stringify(value);
  if (typeof value !== "object") return String(value);
  if (value === null || Object.keys(value).length > 8) return null;
  try {
    const text = JSON.stringify(value);
    return text.length > MAX_SHOWN ? null : text;
  } catch {
    return null;
  }
}
