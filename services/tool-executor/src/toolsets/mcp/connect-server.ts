import type { ClientTokens } from "./client-token.ts";
import { findCommand } from "./find-command.ts";
import type { ServerConfig } from "./mcp-config.ts";
import type { Connection } from "./mcp-server.ts";
import { remoteTransport } from "./remote-transport.ts";
import { sandboxCommand } from "./sandbox-command.ts";
import { stdioTransport } from "./stdio-transport.ts";

/** Creates the transport of one attempt. Throws an Error whose message completes a sentence about the server and says what to do. */
export async function connectServer(
  { address }: Pick<ServerConfig, "address">,
  { searchPath, cwd, tokens }: { readonly searchPath: string; readonly cwd: string; readonly tokens: ClientTokens },
): Promise<Connection> {
  if (address.kind !== "stdio") {
    const token = tokens(address);
    const problem = (): string | null => token?.problem() ?? null;
    const named = token ? '"url" and "oauth" are right' : '"url" is right';
    const hint = `check that it runs at ${new URL(address.url).origin}, and that its ${named}`;
    // A failure to get a token has a remedy of its own.
    return { transport: remoteTransport(address, token), problem, lastWords: () => "", hint: () => (problem() === null ? hint : "") };
  }
  const { args, env } = address;
  const found = await findCommand(address.command, { searchPath, cwd: address.cwd ?? cwd });
  if (found === null)
    throw new Error(`the command "${address.command.slice(0, 200)}" does not exist or may not be run: install it, or write its full path`);
  const { sandbox } = address;
  const started = sandbox
    ? await sandboxCommand({ command: found, args }, { sandbox, cwd: address.cwd, searchPath })
    : { command: found, args, cwd: address.cwd ?? cwd };
  const transport = stdioTransport({ ...started, env });
  return { transport, problem: transport.problem, lastWords: transport.lastWords, hint: () => "" };
}
