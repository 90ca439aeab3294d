import { readDeadLetters } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";

export interface ListOptions {
  readonly queue?: string;
  readonly state?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Shows a page of dead letters, newest first. */
export async function listDeadLetters(context: Context, options: ListOptions): Promise<ExitCode> {
  const gateway = await context.gatewayForOperators();
  const page = readDeadLetters(await gateway.get(`/v1/dead-letters?${queryOf(options).toString()}`));
  const { output, around } = context;
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const now = around.now();
  const rows = safeValue(page.deadLetters).map((one) => [one.id, one.queue, one.state, spanOf(now - one.keptAt), one.reason]);
  if (rows.length > 0) output.lines(table(["LETTER", "QUEUE", "STATE", "AGE", "REASON"], rows));
  else if (page.cursor === undefined) output.note(nothing(options));
  if (page.cursor !== undefined) output.note(`There may be more: ${SELF} dead-letters list${flagsOf({ ...options, cursor: page.cursor })}`);
  return EXIT.ok;
}

function queryOf({ queue, state, limit, cursor }: ListOptions): URLSearchParams {
  return new URLSearchParams({
    limit: String(limit),
    ...(queue === undefined ? {} : { queue }),
    ...(state === undefined ? {} : { state }),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

function flagsOf(options: ListOptions): string {
  return [...queryOf(options)].map(([name, value]) => ` --${name} ${value}`).join("");
}

function nothing({ queue, state, cursor }: ListOptions): string {
  if (cursor !== undefined) return "There are no more dead letters.";
  return queue === undefined && state === undefined ? "There are no dead letters." : "No dead letters match.";
}
