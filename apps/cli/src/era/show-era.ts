import type { EraView } from "@toolbus/contracts";
import { readEra } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";

/** Shows the era, and which shards lost writes and are held. */
export async function showEra(context: Context): Promise<ExitCode> {
  const service = await context.approvals();
  const era = readEra(await service.get("/v1/era"));
  const { output, around } = context;
  if (output.json) output.document(era);
  else output.lines(eraLines(safeValue(era), around.now()));
  return EXIT.ok;
}

/** Returns a line with the era, then a line for each shard that lost writes. */
export function eraLines({ era, raisedAt, reason, lost }: EraView, now: number): string[] {
  const raised = raisedAt === null ? "never raised" : `raised ${spanOf(now - raisedAt)} ago: ${reason ?? ""}`;
  const rows = lost.map((one) => [one.shard, `${spanOf(now - one.lostAt)} ago`, one.held ? "held" : "resumed", howItEnds(one, now)]);
  const held = lost.filter((one) => one.held).map(({ shard }) => shard);
  return [
    `era ${era}, ${raised}`,
    ...(rows.length === 0 ? [] : ["", ...table(["SHARD", "NOTICED", "WRITES", ""], rows)]),
    ...(held.length === 0
      ? []
      : [
          "",
          `To resume them, once somebody has checked their targets: ${SELF} era resume ${held.length > FEW ? "--all" : held.join(" ")}`,
        ]),
  ];
}

/** The number of shard names that fit on a line. */
const FEW = 8;

function howItEnds({ held, resumeAt, resumedBy }: EraView["lost"][number], now: number): string {
  if (resumeAt === undefined) return "";
  return held ? `resume in ${spanOf(resumeAt - now)} by policy` : `${spanOf(now - resumeAt)} ago by ${resumedBy ?? "somebody"}`;
}
