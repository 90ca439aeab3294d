import { APPROVAL_PREFIX, type ApprovalListStatus, isApprovalId } from "@toolbus/contracts";
import { readApprovals } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

/**
 * Returns the id of the approval that the user typed, and a client of approvals. The beginning of an id is enough if only one id begins with the
 * text. The function searches the lists in the given order and stops at the first one with a match. If several ids match, throws a Failure that names
 * them. If the text cannot be the beginning of an id, throws a Failure without a request to the server.
 */
export async function findApproval(
  context: Pick<Context, "approvals">,
  typed: string | undefined,
  lists: readonly Extract<ApprovalListStatus, "pending" | "all">[],
): Promise<{ readonly service: Client; readonly id: string }> {
  const text = typed ?? "";
  const whole = isApprovalId(text) || text === "ap_" || !APPROVAL_PREFIX.test(text) ? idOf("approval", text) : null;
  const service = await context.approvals();
  return { service, id: whole ?? (await beginsSo(service, text, lists)) };
}

async function beginsSo(service: Client, text: string, lists: readonly string[]): Promise<string> {
  for (const status of lists) {
    const [only, ...others] = await matches(service, status, text);
    if (only !== undefined && others.length > 0) throw severalBeginSo(text, [only, ...others]);
    if (only !== undefined) return only;
  }
  throw new Failure(EXIT.notFound, `No approval begins with "${text}": "${SELF} approvals list --all" shows them.`);
}

/** How many approvals an error names. */
const NAMED = 5;
/** The maximum number of pages that the search reads. For each page, the server searches a large part of the list. */
const PAGES = 20;

async function matches(service: Client, status: string, id: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 1; pages <= PAGES; pages++) {
    const query = new URLSearchParams({ status, id, limit: String(NAMED + 1), ...(cursor === undefined ? {} : { cursor }) });
    const page = readApprovals(await service.get(`/v1/approvals?${query.toString()}`));
    for (const approval of page.approvals) found.add(approval.id);
    if (page.cursor === undefined || found.size > NAMED) return [...found];
    ({ cursor } = page);
  }
  if (found.size > 1) return [...found];
  throw new Failure(EXIT.usage, `Too many approvals are listed to know whether only one begins with "${id}": type the whole id.`);
}

function severalBeginSo(text: string, ids: readonly string[]): Failure {
  const named = ids.slice(0, NAMED).join(", ");
  const more = ids.length > NAMED ? " and more" : "";
  return new Failure(EXIT.usage, `Several approvals begin with "${text}": ${named}${more}. Type more of the id.`);
}
