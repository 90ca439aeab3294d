import { diffPolicies, type PolicyChange } from "@toolbus/all-in-one/policy";
import { counted } from "@toolbus/contracts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { policyIn } from "./policy-file.ts";

/** Shows the differences between two policies, and whether writes need less approval under the second one. */
export async function diffPolicy(context: Context, typedBefore: string, typedAfter: string): Promise<ExitCode> {
  const { output } = context;
  const [before, after] = [await policyIn(context, typedBefore), await policyIn(context, typedAfter)];
  const changes = diffPolicies(before, after);
  if (output.json) {
    output.document({ before: before.version, after: after.version, changes });
    return EXIT.ok;
  }
  output.lines(changes.length === 0 ? ["Both policies demand the same."] : changes.flatMap(linesOf).map(safeText));
  const looser = changes.filter(({ effect }) => effect === "looser").length;
  if (looser > 0) output.note(`${counted(looser, "change")} ${looser === 1 ? "lets" : "let"} writes through with less than before.`);
  return EXIT.ok;
}

function linesOf({ where, before, after, effect }: PolicyChange): readonly string[] {
  return [
    `${where}${effect === "other" ? "" : ` (${effect})`}`,
    ...(before === undefined ? [] : [`  - ${JSON.stringify(before)}`]),
    ...(after === undefined ? [] : [`  + ${JSON.stringify(after)}`]),
  ];
}
