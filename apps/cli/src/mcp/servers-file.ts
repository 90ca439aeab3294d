import { randomBytes } from "node:crypto";
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { EMPTY_FILE, serverNames } from "./edit-servers-text.ts";

/** A file of MCP servers that a command changes. */
export interface ServersFile {
  /** The name as the person wrote it. */
  readonly name: string;
  readonly text: string;
  readonly servers: readonly string[];
  /** Replaces the file at once, so that a bridge reads the old or the new content. Throws a Failure if another program has changed it meanwhile. */
  write(text: string): Promise<void>;
}

/** Returns the name of the file of servers: the one that was typed, or else `MCP_CONFIG_FILE`, or else `mcp.json`. */
export function serversFileName({ around }: Pick<Context, "around">, typed: string | undefined): string {
  return typed ?? (around.env["MCP_CONFIG_FILE"] || "mcp.json");
}

/** Reads the file for a change. Throws a Failure if it cannot be read, or is not a file of servers. `create` permits a file that does not exist. */
export async function openServersFile(
  context: Pick<Context, "around">,
  typed: string | undefined,
  { create }: { readonly create: boolean },
): Promise<ServersFile> {
  const name = serversFileName(context, typed);
  // A link to the file remains a link.
  const whole = await realpath(path.resolve(context.around.cwd, name)).catch(() => path.resolve(context.around.cwd, name));
  const found = await read(whole, name);
  if (found === null && !create)
    throw new Failure(EXIT.usage, `The file of MCP servers ${name} does not exist: name the file with --file, or set MCP_CONFIG_FILE.`);
  const text = found ?? EMPTY_FILE;
  const servers = serverNames(text);
  if (servers === null)
    throw new Failure(EXIT.usage, `${name} is not JSON with "mcpServers": correct it, for example to {"mcpServers": {}}.`);
  return {
    name,
    text,
    servers,
    async write(changed) {
      if ((await read(whole, name)) !== found)
        throw new Failure(EXIT.failed, `${name} was changed by another program meanwhile. Nothing was written: repeat the command.`);
      await replace(whole, changed, name);
    },
  };
}

async function read(file: string, name: string): Promise<string | null> {
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new Failure(EXIT.usage, `The file of MCP servers ${name} cannot be read (${error.code ?? "unknown"}): name another file.`, {
      cause: error,
    });
  });
}

async function replace(file: string, text: string, name: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    // A new file may contain keys, so only its owner reads it. An existing file keeps its mode.
    const mode = await stat(file).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    await writeFile(draft, text, { mode: 0o600 });
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new Failure(EXIT.failed, `${name} cannot be written (${code}): make its folder writable for this user, or name another file.`, {
      cause: error,
    });
  }
}
