import type { ContextStrategy, Json, JsonObject, Report, ToolChoice } from "@toolbus/contracts";
import { valueAt } from "./profiles/input-path.ts";

/**
 * The configuration of an agent: its prompt, the tools that it may use, its limits, the calls before the loop and the rule for its report. A profile
 * is data. It is the only place where the agent names a tool.
 */
export interface Profile {
  readonly name: string;
  /** The description for people who choose a profile. */
  readonly description: string;
  readonly systemPrompt: string;
  /** The tools of the registry that a run may use: rules in the form of `ToolRule`, or all. */
  readonly tools: readonly string[] | "all";
  readonly limits: Limits;
  /** The model of the profile. If null, the process's setting applies. */
  readonly model: ProfileModel | null;
  /** How the agent shortens a conversation that is too long for the model. If absent, the process's setting applies. */
  readonly context?: ProfileContext;
  readonly toolChoice: ToolChoice;
  /** False if the model may make only one call per turn. If absent, the process's setting applies. */
  readonly parallelCalls?: boolean;
  /** If absent, the process's setting applies. */
  readonly temperature?: number;
  /** False if a result that is too long is truncated. Otherwise such a result is put into working memory, and the model gets an index. */
  readonly workingMemory?: boolean;
  /** The fixed calls before the first model call (round 0). */
  readonly seedCalls: readonly SeedCall[];
  /** The rule that makes an investigation's report from its calls. Null for other profiles. */
  readonly report: ReportRule | null;
  /** True if the model may ask the person a question and wait for the answer. */
  readonly askUser: boolean;
  /** False if a write is skipped after an earlier write of its turn was denied, cancelled or not executed, or has an unknown outcome. */
  readonly continueAfterFailedWrite: boolean;
}

export interface Limits {
  /** The maximum number of rounds of a run. A round is one model call with its tools. The seed round is not included. */
  readonly maxRounds: number;
  /** The maximum active time of a run, in milliseconds. Active time is time in the model and in tools. The clock stops while people decide. */
  readonly activeMs: number;
  /** The time without a living worker after which a read is answered with `no_worker`, in milliseconds. If absent, the read waits. */
  readonly noWorkerMs?: number;
  readonly maxTools: number;
  readonly maxTokens: number;
  /** The length in characters above which a tool's result goes into working memory. If absent, the model's limit applies. */
  readonly resultChars?: number;
  /** The profile's budget, which may lower the operator's limit and never raises it. If null or absent, the operator's limit applies. */
  readonly budget?: ProfileBudget | null;
}

/** The most that one run and its sub-runs may use. */
export interface ProfileBudget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly toolCalls?: number;
}

/** The model of a profile. If a field is null, the process's setting applies. */
export interface ProfileModel {
  readonly provider: string | null;
  readonly name: string | null;
}

export interface ProfileContext {
  /** If absent, the process's setting applies. */
  readonly strategy?: ContextStrategy;
  /** The approximate limit for the conversation in tokens, below what the model's window has room for. */
  readonly maxTokens?: number;
  /** The limit for the conversation, in transcript entries. */
  readonly maxMessages?: number;
}

export interface SeedCall {
  readonly tool: string;
  /** The arguments, each with a path in the run's input, such as `alert.labels.release`. The call is skipped if the input lacks one of the paths. */
  readonly argumentsFromInput: Readonly<Record<string, string>>;
  /** Another path in the input. The call is skipped if the input lacks it. */
  readonly when?: string;
}

export type ReportRule = FilingRule | ConclusionRule;

/** The rule for a report that a write files. The write's arguments contain the findings, and its result says whether the report was filed. */
export interface FilingRule {
  readonly kind: "filing";
  readonly tool: string;
  readonly severityArgument: string;
  readonly findingsArgument: string;
  /** The field of the write's result that contains the report's id. */
  readonly reportIdField: string;
  /** The path in the run's input to the subject of the investigation. */
  readonly subjectFromInput: string;
  /** The path to the subject if the input has no value at the first path. */
  readonly orSubjectFromInput?: string;
}

/** The rule for a report that the model records with the loop's own tool. Nothing is filed. */
export interface ConclusionRule {
  readonly kind: "conclusion";
  /** The path in the run's input to the subject of the investigation. */
  readonly subjectFromInput: string;
  /** The path to the subject if the input has no value at the first path. */
  readonly orSubjectFromInput?: string;
}

/** Returns the report with which an investigation starts. */
export function emptyReport(rule: ReportRule, input: JsonObject): Report {
  return {
    subject: subjectIn(rule, input),
    cause: null,
    severity: null,
    findings: [],
    evidence: [],
    filing: { status: "not_attempted" },
  };
}

function subjectIn({ subjectFromInput, orSubjectFromInput }: ReportRule, input: JsonObject): string {
  const first = textOf(valueAt(input, subjectFromInput));
  return first !== "" || orSubjectFromInput === undefined ? first : textOf(valueAt(input, orSubjectFromInput));
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The most parallel reads of one turn, and the most calls of one turn. */
export const PARALLEL_CALLS = 8;
export const CALLS_PER_TURN = 32;
