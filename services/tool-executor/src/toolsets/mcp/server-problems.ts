import { parseMcpConfig, variablesOf } from "./mcp-config.ts";

/**
 * Returns a sentence for each entry of a file that the bridge would leave out, whatever the environment of the bridge is. Starts no server. Variables
 * count as set, because the bridge may have other variables than this process.
 */
export function serverProblems(text: string, file: string): readonly string[] {
  const env = Object.fromEntries(variablesOf(text).map((name) => [name, "https://variable.invalid"]));
  return parseMcpConfig(text, { file, env }).problems;
}
