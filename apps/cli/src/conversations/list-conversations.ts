import type { ConversationView } from "@toolbus/contracts";
import { readConversations } from "../http/answers.ts";
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

/** Shows a page of the caller's conversations, newest first. */
export async function listConversations(context: Context, { limit, cursor }: ListOptions): Promise<ExitCode> {
  const gateway = await context.gateway();
  const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  const page = readConversations(await gateway.get(`/v1/conversations?${query.toString()}`));
  const { output, around } = context;
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const conversations = safeValue(page.conversations);
  const now = around.now();
  const rows = conversations.map((one) => [one.conversationId, standsAs(one), one.profile, spanOf(now - one.createdAt), String(one.runs)]);
  if (rows.length > 0) output.lines(table(["CONVERSATION", "ACTIVE", "PROFILE", "AGE", "RUNS"], rows));
  else if (page.cursor === undefined)
    output.note(cursor === undefined ? `There are no conversations yet: "${SELF} chat" begins one.` : "There are no more conversations.");
  if (page.cursor !== undefined) output.note(`There are more: ${SELF} conversations list --limit ${limit} --cursor ${page.cursor}`);
  return EXIT.ok;
}

/** Returns the id of the active run and the number of queued runs. */
function standsAs({ activeRun, queued }: ConversationView): string {
  return `${activeRun ?? ""}${queued.length > 0 ? ` and ${queued.length} more` : ""}`.trim();
}
