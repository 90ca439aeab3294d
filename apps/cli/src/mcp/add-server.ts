import { serverProblems } from "@toolbus/all-in-one/mcp";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { type ServerEntry, withServer } from "./edit-servers-text.ts";
import { openServersFile } from "./servers-file.ts";

export interface AddServerOptions {
  readonly file?: string;
  readonly address?: string;
  readonly type?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly sandbox?: true;
}

/** Adds a server to the file of MCP servers. Refuses a name that the file has, and an entry that the bridge would leave out. */
export async function addServer(context: Context, name: string, command: readonly string[], options: AddServerOptions): Promise<ExitCode> {
  const { output } = context;
  const entry = entryOf(command, options);
  const file = await openServersFile(context, options.file, { create: true });
  if (file.servers.includes(name))
    throw new Failure(
      EXIT.usage,
      `${file.name} already has an MCP server "${name}": choose another name, or remove that one first with "${SELF} mcp remove ${name}${options.file === undefined ? "" : ` --file ${file.name}`}".`,
    );
  const text = withServer(file.text, name, entry);
  // Problems of other entries are not this command's.
  const before = new Set(serverProblems(file.text, file.name));
  const problem = serverProblems(text, file.name).find((one) => !before.has(one));
  if (problem !== undefined) throw new Failure(EXIT.usage, `Nothing was added. ${problem}`);
  await file.write(text);
  if (output.json) output.document({ file: file.name, server: name, added: true });
  else
    output.lines([
      `Added "${safeText(name)}" to ${safeText(file.name)}.`,
      `Try it: ${SELF} mcp test ${safeText(file.name)}`,
      `Then restart Toolbus with MCP_CONFIG_FILE=${safeText(file.name)}, and look at its writes: ${SELF} mcp enable "${safeText(name)}"`,
    ]);
  return EXIT.ok;
}

function entryOf([program, ...args]: readonly string[], { address: url, type, header, env, sandbox }: AddServerOptions): ServerEntry {
  if ((program === undefined) === (url === undefined))
    throw new Failure(
      EXIT.usage,
      `Say how the server is reached: with --address URL (--url is the gateway's), or with its command after "--", such as "-- npx -y NAME".`,
    );
  if (url !== undefined) {
    const wrong = env ? "--env" : sandbox ? "--sandbox" : null;
    if (wrong !== null)
      throw new Failure(
        EXIT.usage,
        `${wrong} is for a server that the bridge starts: leave it out, or give a command instead of --address.`,
      );
    return { ...(type === undefined ? {} : { type }), url, ...(header ? { headers: pairs(header, ":", "--header", "NAME: VALUE") } : {}) };
  }
  const wrong = header ? "--header" : type === undefined ? null : "--type";
  if (wrong !== null) throw new Failure(EXIT.usage, `${wrong} is for a server with --address: leave it out.`);
  return {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env ? { env: pairs(env, "=", "--env", "NAME=VALUE") } : {}),
    ...(sandbox ? { sandbox } : {}),
  };
}

/** Splits each text at the first separator. The error does not repeat the text, which may be a key. */
function pairs(texts: readonly string[], separator: string, option: string, form: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      const name = text.slice(0, Math.max(at, 0)).trim();
      if (name === "") throw new Failure(EXIT.usage, `Write each ${option} as ${form}.`);
      return [name, text.slice(at + 1).trim()];
    }),
  );
}
