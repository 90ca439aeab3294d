import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { ToolSpec } from "../tool-spec.ts";

/** A real schema from the corpus. */
export interface Found {
  readonly name: string;
  readonly tool: ToolSpec;
  /** The same in JSON Schema 2020-12, if the schema itself is not in that form: its intended meaning. */
  readonly meaning: JsonObject;
  /** The place of its fault, if no dialect can have a form for it. */
  readonly setAside: string | null;
}

/** All of `corpus/*.json`, from the oldest dialects to the newest, each under its name. */
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
