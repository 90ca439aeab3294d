import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** The file that a shell would run for a name, or null. */
export function programOnPath(name: string, searchPath: string): string | null {
  // An empty entry means the current folder to a shell; nobody who runs tests means that.
  const folders = searchPath.split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find(isProgram) ?? null;
}

/**
 * RabbitMQ's own start script. What Debian puts on the path is another one around it, which runs it as the user `rabbitmq` with fixed folders
 * and refuses everybody but that user and root; the inner one runs as anybody.
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
