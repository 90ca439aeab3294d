import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { ToolSpec } from "../tool-spec.ts";

/** A real schema from the corpus. */
export interface Found {
  readonly name: string;
  readonly tool: ToolSpec;
  /** The intended meaning of the schema in JSON Schema 2020-12. It differs from the parameters if they are not in that form. */
  readonly meaning: JsonObject;
  /** The place of the schema's fault. Null if dialects have a form for it. */
  readonly setAside: string | null;
}

/** Returns all cases of `corpus/*.json` with their names, in the order of the files' names. */
export function readCorpus(): readonly Found[] {
  const folder = new URL("./", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.sort().flatMap((file) => {
    const cases = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as JsonObject;
    return Object.entries(cases).map(([name, entry]) => found(name, entry));
  });
}

function found(name: string, entry: Json): Found {
  if (!isJsonObject(entry)) throw new Error(`${name} is not a case`);
  const parameters = entry["parameters"] as JsonObject;
  const meaning = entry["meaning"];
  const setAside = entry["setAside"];
  return {
    name,
    tool: { name: name.replaceAll(/[^a-zA-Z0-9]+/g, "_").toLowerCase(), description: `Corpus: ${name}.`, parameters },
    meaning: isJsonObject(meaning) ? meaning : parameters,
    setAside: typeof setAside === "string" ? setAside : null,
  };
}
