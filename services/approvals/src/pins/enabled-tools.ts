import { readFile } from "node:fs/promises";
import { type EnabledToolsFile, parseEnabledToolsFile } from "@toolbus/contracts";
import { Refusal } from "@toolbus/runtime";

/** The writes that an operator enabled by a file. Only exactly these definitions are enabled. */
export interface EnabledTools {
  readonly size: number;
  has(definition: EnabledTool): boolean;
  /** Returns whether the file lists this definition under any toolset. */
  names(tool: string, hash: string): boolean;
}

type EnabledTool = Pick<EnabledToolsFile[number], "tool" | "toolset" | "hash">;

export function enabledTools(listed: readonly EnabledTool[]): EnabledTools {
  return {
    size: listed.length,
    has: ({ tool, toolset, hash }) => listed.some((one) => one.tool === tool && one.toolset === toolset && one.hash === hash),
    names: (tool, hash) => listed.some((one) => one.tool === tool && one.hash === hash),
  };
}

/** Reads the file that `TOOLS_ENABLED_FILE` names. Returns an empty list if no file is named. Throws a `Refusal` if the file cannot be used. */
export async function readEnabledTools(file: string): Promise<EnabledTools> {
  if (file === "") return enabledTools([]);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new Refusal(
      `The file of enabled tools ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): correct TOOLS_ENABLED_FILE, or leave it empty.`,
    );
  }
  const parsed = parseEnabledToolsFile(text);
  if (parsed.ok) return enabledTools(parsed.value);
  const { path, message } = parsed.problems[0] ?? { path: "", message: "cannot be read" };
  throw new Refusal(
    `The file of enabled tools ${file} cannot be used: ${path === "" ? "it" : path} ${message}; it is a list of {"tool", "toolset", "hash"}.`,
  );
}
