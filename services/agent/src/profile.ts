import type { ContextStrategy, Json, JsonObject, Report, ToolChoice } from "@toolbus/contracts";
import { valueAt } from "./profiles/input-path.ts";

/**
 * What makes an agent: its prompt, the slice of the registry it sees, its limits, what it runs before the loop and how a report is read off its
 * calls. A profile is data; it is the only place where the agent names a tool.
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
  /** How a conversation that is too long for the model is made to fit; absent: as the process is set to. */
  readonly context?: ProfileContext;
  readonly toolChoice: ToolChoice;
  /** False: one call a turn. Absent: what the process is set to. */
  readonly parallelCalls?: boolean;
  /** Absent: what the process is set to. */
  readonly temperature?: number;
  /** False: a result that is too long is cut. Absent: it is put into working memory, and the model gets an index. */
  readonly workingMemory?: boolean;
  /** Fixed calls before the first model call (round 0). */
  readonly seedCalls: readonly SeedCall[];
  /** For investigations: how a report comes out of them. */
  readonly report: ReportRule | null;
  /** True: the model may ask the person a question and wait for the answer. */
  readonly askUser: boolean;
  /** False: a write that follows a denied or unknown one of its turn is skipped. */
  readonly continueAfterFailedWrite: boolean;
}

export interface Limits {
  /** A round is one model call with its tools; the seed round is none. */
  readonly maxRounds: number;
  /** Time in model and tools; the clock stops while people decide. */
  readonly activeMs: number;
  /** After so long without a living worker a read is answered with `no_worker`; absent: it waits. */
  readonly noWorkerMs?: number;
  readonly maxTools: number;
  readonly maxTokens: number;
  /** A longer result of a tool goes into working memory, in characters; absent: what its model takes. */
  readonly resultChars?: number;
  /** Null or absent: what the operator allows. It lowers that and never raises it. */
  readonly budget?: ProfileBudget | null;
}

/** What one run and its sub-runs may use. */
export interface ProfileBudget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly toolCalls?: number;
}

/** Each null is what the process is set to. */
export interface ProfileModel {
  readonly provider: string | null;
  readonly name: string | null;
}

export interface ProfileContext {
  /** Absent: what the process is set to. */
  readonly strategy?: ContextStrategy;
  /** Of the conversation, about, below what the model's window has room for. */
  readonly maxTokens?: number;
  /** Of the conversation, in entries of the transcript. */
  readonly maxMessages?: number;
}

export interface SeedCall {
  readonly tool: string;
  /** Argument → path in the run's input, such as `alert.labels.release`. The call is skipped when one of them is not there. */
  readonly argumentsFromInput: Readonly<Record<string, string>>;
  /** Another path without which the call is skipped. */
  readonly when?: string;
}

export type ReportRule = FilingRule | ConclusionRule;

/** A write files the report: its arguments say what was found, its result whether it was filed. */
export interface FilingRule {
  readonly kind: "filing";
  readonly tool: string;
  readonly severityArgument: string;
  readonly findingsArgument: string;
  /** The field of its result that names the report. */
  readonly reportIdField: string;
  /** Path in the run's input to what is investigated. */
  readonly subjectFromInput: string;
}

/** The model records what it found by the loop's own tool; nothing is filed. */
export interface ConclusionRule {
  readonly kind: "conclusion";
  /** Path in the run's input to what is investigated. */
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
