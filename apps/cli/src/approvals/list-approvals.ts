import type { ApprovalListStatus } from "@toolbus/contracts";
import type { Since } from "../commands/since.ts";
import { readApprovals } from "../http/answers.ts";
import { terminalWidth } from "../terminal/lines.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { approvalEntry } from "./approval-entry.ts";

export interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: true;
  readonly status?: ApprovalListStatus;
  readonly since?: Since;
  readonly tool?: string;
  readonly requester?: string;
}

/** Shows a page of the approvals that wait, oldest first, or of those that the options choose. */
export async function listApprovals(context: Context, options: ListOptions): Promise<ExitCode> {
  const { limit, cursor, tool, requester } = options;
  const { output, around } = context;
  const status = options.all ? "all" : options.status;
  const since = options.since?.(around.now());
  const given = { status, since, tool, requester, limit, cursor };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  const service = await context.approvals();
  const page = readApprovals(await service.get(`/v1/approvals?${query.toString()}`));
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const now = page.now ?? around.now();
  const width = terminalWidth(output.out);
  const entries = safeValue(page.approvals).map((one) => approvalEntry(one, now, width));
  if (entries.length > 0) output.lines(entries.flatMap((lines, n) => (n === 0 ? lines : ["", ...lines])));
  else output.note(nothing({ ...options, status, since }, page.cursor !== undefined));
  if (page.cursor !== undefined) output.note(`There may be more: ${SELF} approvals list ${again({ ...given, cursor: page.cursor })}`);
  return EXIT.ok;
}

type Chosen = Pick<ListOptions, "tool" | "requester"> & {
  readonly status: ApprovalListStatus | undefined;
  readonly since: number | undefined;
  readonly cursor?: string;
};

/** Returns a sentence that says that no approval matches the given options. */
function nothing({ status, since, tool, requester, cursor }: Chosen, more: boolean): string {
  const what = [
    ...(tool === undefined ? [] : [`of ${tool}`]),
    ...(requester === undefined ? [] : [`for ${requester}`]),
    ...(since === undefined ? [] : [`since ${new Date(since).toISOString()}`]),
  ].join(", ");
  const about = what === "" ? "" : ` (${what})`;
  if (more) return `Nothing matches in this part of the list${about}.`;
  if (cursor !== undefined) return `Nothing more matches${about}.`;
  if (status === "all") return `There are no approvals${about}.`;
  if (status === undefined || status === "pending")
    return `Nothing waits for a decision${about}: "${SELF} approvals list --all" shows what was decided.`;
  return `No approval is ${status.replaceAll("_", " ")}${about}.`;
}

function again(given: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(given)
    .flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${safeText(String(value))}`]))
    .join(" ");
}
