import { readApprovals } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

/** Shows the approvals that wait for a decision, oldest first. */
export async function listApprovals(context: Context, { limit, cursor }: ListOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  const page = readApprovals(await service.get(`/v1/approvals?${query.toString()}`));
  const { output, around } = context;
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const now = around.now();
  const rows = safeValue(page.approvals).map((one) => [
    one.id,
    one.tier,
    spanOf(one.expiresAt - now),
    one.requester,
    `${(one.doubts ?? []).length > 0 ? "! " : ""}${one.effect}`,
  ]);
  if (rows.length === 0 && page.cursor === undefined) output.note("Nothing waits for a decision.");
  else output.lines(table(["APPROVAL", "TIER", "EXPIRES IN", "REQUESTER", "EFFECT"], rows));
  if (page.cursor !== undefined) output.note(`There may be more: ${SELF} approvals list --limit ${limit} --cursor ${page.cursor}`);
  return EXIT.ok;
}
