import { readRunPage } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { subjectOf } from "./run-lines.ts";

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

/** Shows a page of the caller's runs, the newest first. */
export async function listRuns(context: Context, { limit, cursor }: ListOptions): Promise<ExitCode> {
  const gateway = await context.gateway();
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  const page = readRunPage(await gateway.get(`/v1/runs?${query.toString()}`));
  const { output, around } = context;
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const runs = safeValue(page.runs);
  if (runs.length === 0) {
    output.note(cursor === undefined ? `There are no runs yet: "${SELF} chat" starts one.` : "There are no more runs.");
    return EXIT.ok;
  }
  const now = around.now();
  const rows = runs.map((run) => [run.runId, run.status, spanOf(now - run.createdAt), run.profile ?? "", subjectOf(run)]);
  output.lines(table(["RUN", "STATUS", "AGE", "PROFILE", "ABOUT"], rows));
  if (page.cursor !== undefined) output.note(`There are more: ${SELF} runs list --limit ${limit} --cursor ${page.cursor}`);
  return EXIT.ok;
}
