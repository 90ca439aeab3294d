import type { Json, JsonObject } from "@toolbus/contracts";

export interface Remarks {
  readonly title: string;
  readonly description: string;
  /** What else a model is told, each a sentence. */
  readonly hints: readonly string[];
  /** True when null is what is taken for a value that is left out. */
  readonly nullByDefault: boolean;
}

/** What a schema says to its reader: vendors take a description and drop or refuse the rest, so that the rest is told in it. */
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
/** More than any vendor takes of it. */
const MAX_TEXT = 20_000;

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}

/** The value as JSON when that is short; null when it is not. */
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
