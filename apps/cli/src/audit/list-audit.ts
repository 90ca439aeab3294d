import type { AuditPage, ChainKind, Json } from "@toolbus/contracts";
import { readAuditPage } from "../http/answers.ts";
import { timeText } from "../terminal/time-text.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

export interface ListAuditOptions {
  readonly chain: ChainKind;
  /** `since` is the maximum age of the events and `until` their minimum age, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly event?: string;
  readonly approval?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** Shows a page of the audit's records, newest first. */
export async function listAudit(context: Context, options: ListAuditOptions): Promise<ExitCode> {
  const { chain, since, until, tool, event, limit, cursor } = options;
  const approval = options.approval === undefined ? undefined : idOf("approval", options.approval);
  const { output, around } = context;
  const ago = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : String(Math.max(0, around.now() - ms)));
  const wanted = { chain, since: ago(since), until: ago(until), tool, event, approval, cursor, limit: String(limit), order: "desc" };
  const query = new URLSearchParams(Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const service = await context.approvals();
  const page = readAuditPage(await service.get(`/v1/audit?${query.toString()}`));
  if (output.json) {
    output.document(page);
    return EXIT.ok;
  }
  const rows = safeValue(page.records).map(rowOf);
  if (rows.length > 0) output.lines(table(["N", "TIME", "EVENT", "BY", "TOOL", "TIER", "ABOUT"], rows));
  else output.note(page.cursor === undefined ? "No records match." : "None of the newest records match.");
  if (page.cursor !== undefined) output.note(`There may be more: add --cursor ${page.cursor} to the same ${SELF} audit list`);
  return EXIT.ok;
}

function rowOf({ n, record, attested }: AuditPage["records"][number]): readonly string[] {
  const { event, by, at, tool, tier, approvalId, decision, shards } = record;
  const about = [
    attested ? "" : "not written by approvals",
    text(decision),
    text(approvalId),
    Array.isArray(shards) ? `shards ${shards.join(", ")}` : "",
  ];
  const time = typeof at === "number" ? timeText(at) : "";
  return [String(n), time, text(event), text(by), text(tool), text(tier), about.filter((part) => part !== "").join(", ")];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
