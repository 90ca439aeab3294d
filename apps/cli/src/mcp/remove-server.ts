import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { withoutServer } from "./edit-servers-text.ts";
import { openServersFile } from "./servers-file.ts";

export interface RemoveServerOptions {
  readonly file?: string;
}

/** Removes a server from the file of MCP servers. Case does not matter if only one name fits. */
export async function removeServer(context: Context, typed: string, options: RemoveServerOptions): Promise<ExitCode> {
  const { output } = context;
  const file = await openServersFile(context, options.file, { create: false });
  const name = found(typed, file.servers);
  if (name === null) {
    const known = file.servers.length === 0 ? "It has no servers." : `It has: ${file.servers.join(", ")}.`;
    throw new Failure(EXIT.notFound, `${file.name} has no MCP server "${typed}". ${known}`);
  }
  await file.write(withoutServer(file.text, name));
  if (output.json) output.document({ file: file.name, server: name, removed: true });
  else
    output.lines([
      `Removed "${safeText(name)}" from ${safeText(file.name)}.`,
      "Restart Toolbus. The bridge then unregisters the tools of the server.",
    ]);
  return EXIT.ok;
}

function found(typed: string, servers: readonly string[]): string | null {
  if (servers.includes(typed)) return typed;
  const fitting = servers.filter((one) => one.toLowerCase() === typed.toLowerCase());
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
