import type { RunView } from "@toolbus/contracts";
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
  readonly status?: string;
  readonly profile?: string;
  /** The age of the oldest, in milliseconds. */
  readonly sinceMs?: number;
  /** Their requester, for operators; by default the caller. */
  readonly requester?: string;
}

/** Shows a page of the caller's runs, or of another principal's, newest first. */
export async function listRuns(context: Context, { limit, cursor, status, profile, sinceMs, requester }: ListOptions): Promise<ExitCode> {
  const gateway = await (requester === undefined ? context.gateway() : context.gatewayForOperators());
  const since = sinceMs === undefined ? undefined : String(Math.max(0, context.around.now() - sinceMs));
  const given = { limit: String(limit), cursor, status, profile, since, requester };
  const query = new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const chosen = status !== undefined || profile !== undefined || since !== undefined || requester !== undefined;
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
  const rows = runs.map((run) => [run.runId, standsAs(run), spanOf(now - run.createdAt), run.profile ?? "", subjectOf(run)]);
  output.lines(table(["RUN", "STATUS", "AGE", "PROFILE", "ABOUT"], rows));
  if (page.cursor !== undefined) output.note(goOn(page.cursor));
  return EXIT.ok;

  function goOn(next: string): string {
    const options = [
      status && ` --status ${status}`,
      profile && ` --profile ${profile}`,
      sinceMs && ` --since ${Math.ceil(sinceMs / 1000)}s`,
      requester && ` --requester ${requester}`,
    ];
    return `There are more: ${SELF} runs list --limit ${limit}${options.filter(Boolean).join("")} --cursor ${next}`;
  }
}

/** Its status, and for a finished investigation the state of its report: filed, denied and expired are all "done". */
function standsAs({ status, code, report }: RunView): string {
  if (status === "failed" && code !== undefined) return `failed: ${code}`;
  const filing = report?.filing.status;
  return status !== "done" || filing === undefined || filing === "not_attempted" ? status : `done: ${filing.replaceAll("_", " ")}`;
}
