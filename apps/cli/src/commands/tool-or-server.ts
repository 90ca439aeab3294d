import type { Command } from "commander";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** What a command is about: one tool, or all tools of an MCP server. `rest` is the argument after the tool, if the command has one. */
export type ToolOrServer = { readonly rest: string } & (
  | { readonly tool: string; readonly server?: undefined }
  | { readonly tool?: undefined; readonly server: string }
);

/** Returns the server that --server names, or undefined. Throws a Failure if the name is empty. */
export function serverIn(command: Command): string | undefined {
  const { server } = command.opts<{ readonly server?: string }>();
  if (server?.trim() !== "") return server;
  throw new Failure(EXIT.usage, `--server needs the name of an MCP server: see ${SELF} tools ${command.name()} --help.`);
}

export interface Wanted {
  /** The argument after the tool in words, such as "a tier". */
  readonly more?: string;
  /** The options that only one tool has. */
  readonly one?: readonly string[];
  /** The options that only a server has. */
  readonly all?: readonly string[];
}

/** Reads the tool or the server from a command line. Throws a Failure if both or none is named, or if an option belongs to the other one. */
export function toolOrServer(command: Command, { more, one = [], all = [] }: Wanted = {}): ToolOrServer {
  const options = command.opts<Readonly<Record<string, unknown>>>();
  const server = serverIn(command);
  const [help, words] = [`${SELF} tools ${command.name()} --help`, [...command.args]];
  const tool = server === undefined ? words.shift() : undefined;
  if (tool === undefined && server === undefined)
    throw new Failure(EXIT.usage, `Name a tool, or an MCP server with --server: see ${help}.`);
  const expected = more === undefined ? 0 : 1;
  if (words.length < expected) throw new Failure(EXIT.usage, `Name ${more ?? ""} too: see ${help}.`);
  if (words.length > expected)
    throw new Failure(EXIT.usage, `--server and the name of a tool exclude each other: leave out "${(words[0] ?? "").slice(0, 80)}".`);
  const foreign = (server === undefined ? all : one).find((name) => options[name] !== undefined);
  if (foreign !== undefined)
    throw new Failure(
      EXIT.usage,
      server === undefined ? `--${foreign} needs --server: see ${help}.` : `--${foreign} is for one tool: leave it or --server out.`,
    );
  const [rest = ""] = words;
  return server === undefined ? { tool: tool ?? "", rest } : { server, rest };
}
