import { readFile } from "node:fs/promises";
import path from "node:path";
import { isJsonObject, type Json, type JsonObject, type RunRecord } from "@toolbus/contracts";
import { toolsOfRecord, withTools } from "@toolbus/evals";
import { readYaml } from "@toolbus/runtime/yaml-text";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { writeWhole } from "./whole-file.ts";

/** The definitions that a suite needs for a recorded run, and how to write them. */
export interface MissingTools {
  /** The names of the tools. */
  readonly names: readonly string[];
  /** The file that gets the definitions. */
  readonly file: string;
  write(newId: () => string): Promise<void>;
}

/**
 * Returns what the suite in this folder lacks to know the tools of a run, or null if it lacks nothing. `known` are the tools that need no definition.
 * Throws a Failure, and writes nothing, if the files of the suite cannot take an entry at their end.
 */
export async function missingTools(folder: string, record: RunRecord, known: ReadonlySet<string>): Promise<MissingTools | null> {
  const suiteFile = path.join(folder, "suite.yaml");
  const suite = await readText(suiteFile);
  const declared = valueOf(suite);
  const named = isJsonObject(declared) && typeof declared["tools"] === "string" ? declared["tools"] : null;
  const file = path.resolve(folder, named ?? "tools.yaml");
  const text = await readText(file);
  const listed = namesIn(valueOf(text));
  const missing = toolsOfRecord(record, new Set([...known, ...listed]));
  if (missing.length === 0) return null;
  const names = namesIn([...missing]);
  const tools = withTools(text, missing);
  const withFile = named === null ? `${suite}${suite.endsWith("\n") ? "" : "\n"}tools: ./tools.yaml\n` : suite;
  if (
    namesIn(valueOf(tools)).length !== listed.length + missing.length ||
    (valueOf(withFile) as JsonObject | null)?.["tools"] === undefined
  )
    throw new Failure(
      EXIT.failed,
      `The definitions of ${names.join(", ")} cannot be added to ${file}: write it as a YAML list, and name it under "tools" in ${suiteFile}.`,
    );
  return {
    names,
    file,
    async write(newId) {
      await writeWhole(file, tools, { id: newId(), replace: true });
      if (withFile !== suite) await writeWhole(suiteFile, withFile, { id: newId(), replace: true });
    },
  };
}

async function readText(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(EXIT.failed, `The file ${file} cannot be read (${error.code ?? "unknown"}): make it readable.`);
  });
}

/** Returns the value of a YAML text, or null if it has none. */
function valueOf(text: string): Json {
  const read = readYaml(text);
  return read.ok ? (read.value as Json) : null;
}

function namesIn(value: Json): readonly string[] {
  return Array.isArray(value)
    ? value.flatMap((tool) => (isJsonObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []))
    : [];
}
