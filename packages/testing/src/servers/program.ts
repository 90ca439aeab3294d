import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** The file that a shell would run for a name, or null. */
export function programOnPath(name: string, searchPath: string): string | null {
  // To a shell, an empty entry means the current folder. Nobody who runs tests means that.
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find(isProgram) ?? null;
}

/**
 * RabbitMQ's own start script. Debian puts a wrapper on the path, which runs it as the user `rabbitmq` with fixed folders and refuses all other
 * users but root. Any user can run the inner script.
 */
export function innerRabbitmqScript(onPath: string): string {
  const folder = /(\/[^\s"']+\/)\$\{SCRIPT\}/.exec(readFileSync(onPath, "utf8"))?.[1];
  const inner = folder === undefined ? onPath : path.join(folder, "rabbitmq-server");
  return isProgram(inner) ? inner : onPath;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
