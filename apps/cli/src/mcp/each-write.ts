import { Answered } from "../http/client.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** What came of the requests of one command for several tools. */
export interface Outcomes<T> {
  readonly done: readonly T[];
  /** The tools whose requests the service refused, for example because somebody changed one in between. */
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  /** The failure after which the command sent nothing more, such as a service that does not answer. */
  readonly stopped: Failure | null;
}

/**
 * Sends the requests of a command for several tools, one after the other. It continues after a refusal that is about one tool. It ends with any other
 * failure, but still returns what is done, so that the person knows it.
 */
export async function forEachTool<T extends { readonly tool: string }>(
  tools: readonly T[],
  send: (one: T) => Promise<unknown>,
): Promise<Outcomes<T>> {
  const done: T[] = [];
  const refused: { readonly tool: string; readonly reason: string }[] = [];
  for (const one of tools)
    try {
      await send(one);
      done.push(one);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!isAboutOneTool(error)) return { done, refused, stopped: error };
      refused.push({ tool: one.tool, reason: error.message });
    }
  return { done, refused, stopped: null };
}

/** Prints what is done, then what is not. Returns the exit code. Throws the failure that stopped the command. */
export function endOf<T>(
  { output }: Pick<Context, "output">,
  { refused, stopped }: Outcomes<T>,
  { document, lines }: { readonly document: object; readonly lines: readonly string[] },
): ExitCode {
  if (output.json) output.document({ ...document, refused });
  else output.lines([...lines, ...refused.map(({ tool, reason }) => safeText(`${tool} is not changed: ${reason}`))]);
  if (stopped !== null) throw stopped;
  return refused.length === 0 ? EXIT.ok : EXIT.failed;
}

/** A conflict or a missing tool says something about one tool. A missing key or an unreachable service stops all of them. */
function isAboutOneTool(error: Failure): boolean {
  return error instanceof Answered && [400, 404, 409, 422].includes(error.status);
}
