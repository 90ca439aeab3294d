import { readRunPage } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { subjectOf } from "./run-lines.ts";
import { standingOf } from "./run-standing.ts";

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly profile?: string;
  /** The maximum age of a run, in milliseconds. */
  readonly sinceMs?: number;
  /** The requester of the runs, by default the caller. Another requester needs an operator's key. */
  readonly requester?: string;
}

/** Shows a page of the caller's runs, or of another principal's, newest first. */
export async function listRuns(context: Context, options: ListOptions): Promise<ExitCode> {
  const { limit, cursor, status, outcome, profile, sinceMs, requester } = options;
  const gateway = await (requester === undefined ? context.gateway() : context.gatewayForOperators());
  const since = sinceMs === undefined ? undefined : String(Math.max(0, context.around.now() - sinceMs));
  const chosenBy = { status, outcome, profile, since, requester };
  const given = { limit: String(limit), cursor, ...chosenBy };
  const query = new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const chosen = Object.values(chosenBy).some((value) => value !== undefined);
  const page = readRunPage(await gateway.get(`/v1/runs?${query.toString()}`));
  const { output, around } = context;
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const runs = safeValue(page.runs);
  if (runs.length === 0) {
    const none = chosen ? "No runs match." : `There are no runs yet: "${SELF} chat" starts one.`;
    output.note(page.cursor !== undefined ? "None of the newest match." : cursor === undefined ? none : "There are no more runs.");
    if (page.cursor !== undefined) output.note(goOn(page.cursor));
    return EXIT.ok;
  }
  const now = around.now();
  const rows = runs.map((run) => [run.runId, standingOf(run), spanOf(now - run.createdAt), run.profile ?? "", subjectOf(run)]);
  output.lines(table(["RUN", "STATUS", "AGE", "PROFILE", "ABOUT"], rows));
  if (page.cursor !== undefined) output.note(goOn(page.cursor));
  return EXIT.ok;

  function goOn(next: string): string {
    const chosenAgain = [
      status && ` --status ${status}`,
      outcome && ` --outcome ${outcome}`,
      profile && ` --profile ${profile}`,
      sinceMs && ` --since ${Math.ceil(sinceMs / 1000)}s`,
      requester && ` --requester ${requester}`,
    ];
    return `There are more: ${SELF} runs list --limit ${limit}${chosenAgain.filter(Boolean).join("")} --cursor ${next}`;
  }
}
