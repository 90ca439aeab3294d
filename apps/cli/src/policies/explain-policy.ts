import { judgePolicy, type Policy, type PolicyJudgement } from "@toolbus/all-in-one/policy";
import {
  assessRisk,
  atLeast,
  checkArguments,
  definitionFault,
  describeProblems,
  isJsonObject,
  type JsonObject,
  parser,
  type Tier,
  ToolDefinition,
  utcMinute,
} from "@toolbus/contracts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeText } from "../terminal/safe-text.ts";
import { parsedArguments } from "../tools/call-tool.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { findWrite } from "../writes/find-write.ts";
import { DEFAULTS, policyIn, textOf } from "./policy-file.ts";

export interface ExplainPolicyOptions {
  readonly tool: string;
  readonly args: string;
  readonly definition?: string;
  readonly toolset?: string;
  readonly tenant: string;
  readonly at?: string;
}

/** The definition by which a call is judged. `tier` is the lowest one that an operator allows for the tool. */
interface Enabled {
  readonly definition: ToolDefinition;
  readonly toolset: string;
  readonly tier: Tier;
}

/**
 * Shows what a policy demands of one call: the call's tier with the rules behind it, the people who have to approve it, and the time limit. The
 * command does not make the call.
 */
export async function explainPolicy(context: Context, typed: string, options: ExplainPolicyOptions): Promise<ExitCode> {
  const { output, around } = context;
  const policy = await policyIn(context, typed);
  const args = parsedArguments(options.args) as JsonObject;
  const now = timeOf(options.at, around.now());
  const enabled = await enabledOf(context, options);
  const { definition, toolset, tier: least } = enabled;
  const fault = definitionFault(definition);
  if (fault !== null) throw new Failure(EXIT.usage, `The definition of ${definition.name} is refused at ${fault.pointer}. ${fault.reason}`);
  const problems = checkArguments(definition, args);
  if (problems.length > 0)
    throw new Failure(EXIT.usage, `The arguments break the schema of "${definition.name}": ${describeProblems(problems)}.`);
  const own = assessRisk(definition, args);
  const risk = atLeast(own.tier, least)
    ? own
    : { tier: least, reasons: [...own.reasons, `an operator raised the tool to the tier "${least}"`] };
  const { name: tool, source } = definition;
  const asked = { tool, toolset, source, tenant: options.tenant, arguments: args, risk, now, latest: Number.POSITIVE_INFINITY };
  const judged = judgePolicy(policy, asked, DEFAULTS);
  if (output.json) output.document(documentOf(policy, enabled, risk.tier, judged));
  else output.lines(linesOf(policy, enabled, risk.tier, judged));
  return EXIT.ok;
}

async function enabledOf(context: Context, { tool, definition: file, toolset }: ExplainPolicyOptions): Promise<Enabled> {
  if (file === undefined) {
    const { enabled, registered } = await findWrite(await context.approvals(), tool);
    const found = enabled ?? registered[0];
    if (!found) throw new Failure(EXIT.notFound, `No definition of "${tool}" is registered: give one with --definition.`);
    return { definition: found.definition, toolset: toolset ?? found.toolset, tier: found.tier };
  }
  const text = await textOf(context, file, "The definition");
  const parsed = parseDefinition(jsonIn(text));
  if (!parsed.ok)
    throw new Failure(
      EXIT.usage,
      `The definition ${file} cannot be used (${describeProblems(parsed.problems)}): give one as "tools show --json" has it.`,
    );
  const definition = parsed.value;
  if (definition.name !== tool) throw new Failure(EXIT.usage, `The definition ${file} is of the tool "${definition.name}", not "${tool}".`);
  return { definition, toolset: toolset ?? definition.source, tier: definition.risk.tier };
}

const parseDefinition = parser(ToolDefinition);

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A file may also be an object with the member `definition`, as approvals returns it.
    return isJsonObject(value as JsonObject) && "definition" in (value as JsonObject) ? (value as JsonObject)["definition"] : value;
  } catch {
    return null;
  }
}

function timeOf(typed: string | undefined, now: number): number {
  const time = typed === undefined ? now : Date.parse(typed);
  if (Number.isNaN(time)) throw new Failure(EXIT.usage, "--at needs a time such as 2026-06-05T15:00:00Z.");
  return time;
}

function documentOf({ version }: Policy, { definition, toolset }: Enabled, pinned: Tier, judged: PolicyJudgement): object {
  const { need, tier, reasons, expiresAt, terms } = judged;
  const { version: _, ...demanded } = terms;
  return {
    policy: version,
    tool: definition.name,
    toolset,
    tierWithoutPolicy: pinned,
    tier,
    reasons,
    decidedBy: need === 0 ? "policy" : "people",
    approversNeeded: need,
    ...demanded,
    ...(need === 0 ? {} : { expiresAt }),
  };
}

function linesOf({ version }: Policy, { definition, toolset }: Enabled, pinned: Tier, judged: PolicyJudgement): readonly string[] {
  const { tier, reasons, need, expiresAt, terms } = judged;
  const { rules, from = [], groups = {}, tickets = [], remindAt, escalateAt, escalateTo = [] } = terms;
  const isCritical = tier === "critical";
  const rows: readonly (readonly [string, string])[] = [
    ["tool", `${definition.name} of the toolset ${toolset}`],
    ["policy", version],
    ["rules", rules.length === 0 ? "none applies" : rules.join(", ")],
    ["tier", tier === pinned ? tier : `${tier}, raised from ${pinned}`],
    ...reasons.map((reason, n) => [n === 0 ? "because" : "", reason] as const),
    [
      "decided by",
      need === 0 ? "policy, at once" : `${need} ${need === 1 ? "person" : "people"} with the scope approve:${tier} or approve:*`,
    ],
    ...from.map((list) => ["only", list.join(", ")] as const),
    ...Object.entries(groups).map(([group, count]) => ["of a group", `${count} of ${group}`] as const),
    ...tickets.map((pattern) => ["ticket", `of the form ${pattern}`] as const),
    ...(tickets.length === 0 && isCritical ? [["ticket", "any"] as const] : []),
    ...(need === 0 ? [] : [["until", utcMinute(expiresAt)] as const]),
    ...(remindAt === undefined ? [] : [["reminder", utcMinute(remindAt)] as const]),
    ...(escalateAt === undefined ? [] : [["escalation", `${utcMinute(escalateAt)}, to ${escalateTo.join(", ")}`] as const]),
  ];
  return rows.flatMap(([name, text]) =>
    wrapped(safeText(text), WIDTH - COLUMN).map((line, n) => `${(n === 0 ? name : "").padEnd(COLUMN)}${line}`),
  );
}

const COLUMN = 12;
