import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** Returns the file that a shell would execute for a name, or null. */
export function programOnPath(name: string, searchPath: string): string | null {
  // To a shell, an empty entry means the current folder. Nobody who starts tests intends that.
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find(isProgram) ?? null;
}

/**
 * Returns RabbitMQ's own start script. Debian puts a wrapper on the path, which executes this script as the user `rabbitmq` with fixed folders. The
 * wrapper refuses all users except `rabbitmq` and root. Any user can execute the inner script.
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
