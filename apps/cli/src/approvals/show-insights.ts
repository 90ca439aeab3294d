import { recordsOf } from "../audit/chain-pages.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { type Insight, insightsOf } from "./insights.ts";

/** Shows how long writes waited for people, and how they ended, by tool and approver. */
export async function showInsights(context: Context, sinceMs: number): Promise<ExitCode> {
  const service = await context.approvals();
  const { output, around } = context;
  const since = Math.max(0, around.now() - sinceMs);
  // An approval that ended in the period may have begun before it.
  const records = recordsOf(service, "tenant", { since: Math.max(0, since - LONGEST_WAIT_MS) });
  const insights = await insightsOf(records, since);
  if (output.json) {
    output.document({ since, ...insights });
    return EXIT.ok;
  }
  const { all, byTool, byApprover } = safeValue(insights);
  if (all.ended + all.byPolicy === 0) {
    output.note("No approval ended in this time.");
    return EXIT.ok;
  }
  output.lines([
    ...table(["TOOL", ...COLUMNS], [...byTool, all].map(rowOf)),
    ...(byApprover.length === 0 ? [] : ["", ...table(["APPROVER", ...COLUMNS], byApprover.map(rowOf))]),
  ]);
  return EXIT.ok;
}

const COLUMNS = ["ENDED", "APPROVED", "DENIED", "EXPIRED", "BY POLICY", "WAIT P50", "WAIT P95"];
const LONGEST_WAIT_MS = 7 * 86_400_000;

function rowOf({ name, ended, approved, denied, expired, byPolicy, waitP50Ms, waitP95Ms }: Insight): readonly string[] {
  const share = (count: number): string => (ended === 0 ? "-" : `${Math.round((count * 100) / ended)} %`);
  const wait = (ms: number | null): string => (ms === null ? "-" : spanOf(ms));
  return [name, String(ended), share(approved), share(denied), share(expired), String(byPolicy), wait(waitP50Ms), wait(waitP95Ms)];
}
