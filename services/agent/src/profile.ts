import type { ContextStrategy, Json, JsonObject, Report, ToolChoice } from "@toolbus/contracts";
import { valueAt } from "./profiles/input-path.ts";

/**
 * What makes an agent: its prompt, the part of the registry it sees, its limits, what it runs before the loop and how a report is read from its calls. A
 * profile is data; it is the only place where the agent names a tool.
 */
export interface Profile {
  readonly name: string;
  /** For people who choose among profiles. */
  readonly description: string;
  readonly systemPrompt: string;
  /** Which tools of the registry it may see: rules as `ToolRule` says, or all. */
  readonly tools: readonly string[] | "all";
  readonly limits: Limits;
  /** Null: the model that the process is set to. */
  readonly model: ProfileModel | null;
  /** How a conversation that is too long for the model is made to fit; absent: the process's setting. */
  readonly context?: ProfileContext;
  readonly toolChoice: ToolChoice;
  /** False: one call per turn. Absent: the process's setting. */
  readonly parallelCalls?: boolean;
  /** Absent: the process's setting. */
  readonly temperature?: number;
  /** False: a result that is too long is truncated. Absent: it is put into working memory, and the model gets an index. */
  readonly workingMemory?: boolean;
  /** Fixed calls before the first model call (round 0). */
  readonly seedCalls: readonly SeedCall[];
  /** For investigations: how a report is made from them. */
  readonly report: ReportRule | null;
  /** True: the model may ask the person a question and wait for the answer. */
  readonly askUser: boolean;
  /** False: a write is skipped if it follows a denied or unknown one of its turn. */
  readonly continueAfterFailedWrite: boolean;
}

export interface Limits {
  /** A round is one model call with its tools; the seed round does not count. */
  readonly maxRounds: number;
  /** Time in model and tools; the clock stops while people decide. */
  readonly activeMs: number;
  /** After this time without a living worker a read is answered with `no_worker`; absent: it waits. */
  readonly noWorkerMs?: number;
  readonly maxTools: number;
  readonly maxTokens: number;
  /** A longer result of a tool goes into working memory, in characters; absent: the model's limit. */
  readonly resultChars?: number;
  /** Null or absent: the operator's limit. It lowers that limit and never raises it. */
  readonly budget?: ProfileBudget | null;
}

/** What one run and its sub-runs may use. */
export interface ProfileBudget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly toolCalls?: number;
}

/** Null in a field: the process's setting. */
export interface ProfileModel {
  readonly provider: string | null;
  readonly name: string | null;
}

export interface ProfileContext {
  /** Absent: the process's setting. */
  readonly strategy?: ContextStrategy;
  /** The approximate limit for the conversation, below what the model's window has room for. */
  readonly maxTokens?: number;
  /** The limit for the conversation, in transcript entries. */
  readonly maxMessages?: number;
}

export interface SeedCall {
  readonly tool: string;
  /** Argument → path in the run's input, such as `alert.labels.release`. The call is skipped if one of them is missing. */
  readonly argumentsFromInput: Readonly<Record<string, string>>;
  /** Another path without which the call is skipped. */
  readonly when?: string;
}

export type ReportRule = FilingRule | ConclusionRule;

/** A write files the report: its arguments contain the findings, its result says whether it was filed. */
export interface FilingRule {
  readonly kind: "filing";
  readonly tool: string;
  readonly severityArgument: string;
  readonly findingsArgument: string;
  /** The field of its result with the report's id. */
  readonly reportIdField: string;
  /** Path in the run's input to the subject of the investigation. */
  readonly subjectFromInput: string;
}

/** The model records its findings with the loop's own tool; nothing is filed. */
export interface ConclusionRule {
  readonly kind: "conclusion";
  /** Path in the run's input to the subject of the investigation. */
  readonly subjectFromInput: string;
}

/** The report that an investigation starts from. */
export function emptyReport(rule: ReportRule, input: JsonObject): Report {
  return {
    subject: textOf(valueAt(input, rule.subjectFromInput)),
    cause: null,
    severity: null,
    findings: [],
    evidence: [],
    filing: { status: "not_attempted" },
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Parallel reads of one turn, and calls of one turn. */
export const PARALLEL_CALLS = 8;
export const CALLS_PER_TURN = 32;
