import { nearest } from "@toolbus/contracts";
import { readRemoval, readTools, readWrites } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { spanOf } from "../terminal/duration.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

export interface RemoveOptions {
  readonly version?: string;
  readonly toolset?: string;
  readonly yes?: true;
}

/** Asks approvals to remove a registration, and says whether a worker would register the tool again. */
export async function removeTool(context: Context, typed: string, { version, toolset, yes }: RemoveOptions): Promise<ExitCode> {
  const service = await context.approvals();
  if (!yes && isTerminal(context))
    await confirm(context, {
      lines: [],
      question: `remove the registration of ${typed}${version === undefined ? "" : `@${version}`}?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was removed.",
    });
  const body = { ...(version === undefined ? {} : { version }), ...(toolset === undefined ? {} : { toolset }) };
  const removal = readRemoval(await asked(context, service, typed, body));
  const { output, around } = context;
  if (output.json) output.document(removal);
  else {
    const { tool, version: of, toolset: owner, served, lastSeenAt } = safeValue(removal);
    const again = served
      ? `A worker that serves it was seen ${spanOf(Math.max(0, around.now() - lastSeenAt))} ago: stop it, or it registers the tool again when it next starts.`
      : `No worker of it was seen lately.`;
    output.lines(wrapped(`operations removes ${tool}@${of} of ${owner} within seconds ("${SELF} tools list" shows it). ${again}`, WIDTH));
  }
  return EXIT.ok;
}

/** Asks for the removal. If there is no such registration, throws a Failure that proposes a similar name or lists the versions. */
async function asked(
  context: Context,
  approvals: Client,
  typed: string,
  body: Pick<RemoveOptions, "version" | "toolset">,
): Promise<unknown> {
  try {
    return await approvals.post(`/v1/tools/${encodeURIComponent(typed)}/remove`, body);
  } catch (error) {
    if (!(error instanceof Answered) || error.exitCode !== EXIT.notFound) throw error;
  }
  const known = await registered(context, approvals);
  const list = `"${SELF} tools list" shows the registered tools.`;
  const same = known.filter(({ tool }) => tool === typed).map(({ version, toolset }) => `${version} of ${toolset}`);
  if (same.length > 0)
    throw new Failure(EXIT.notFound, `The tool "${typed}" is registered only as ${[...new Set(same)].join(", ")}. ${list}`);
  const meant = nearest(typed, [...new Set(known.map(({ tool }) => tool))]);
  throw new Failure(EXIT.notFound, `There is no tool "${typed.slice(0, 80)}"${meant === null ? ":" : `: did you mean ${meant}?`} ${list}`);
}

/** Returns the tools that the gateway lists. Without a key of the gateway, returns the writes that approvals lists. */
async function registered(
  context: Context,
  approvals: Client,
): Promise<readonly { readonly tool: string; readonly version: string; readonly toolset: string }[]> {
  try {
    const { tools } = readTools(await (await context.gateway()).get("/v1/tools"));
    return tools.map(({ name, version, toolset }) => ({ tool: name, version, toolset }));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return readWrites(await approvals.get("/v1/writes")).writes;
  }
}
