import { readFile } from "node:fs/promises";
import { mcpVariablesOf } from "@toolbus/tool-executor";

/**
 * What the bridge to MCP servers gets from an environment besides its settings: where programs are, and the variables that its file names. Null without a
 * file. If the file is unreadable, the bridge itself refuses it, in its own words.
 */
export async function serversEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, string>> | null> {
  const file = env["MCP_CONFIG_FILE"];
  if (!file) return null;
  const text = await readFile(file, "utf8").catch(() => "");
  return Object.fromEntries(["PATH", ...mcpVariablesOf(text)].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
