import type { JsonObject, Report } from "@toolbus/contracts";

/**
 * What makes an agent: its prompt, the slice of the registry it sees, its limits, what it runs before the loop and how a report is read off its
 * calls. A profile is data; it is the only place where the agent names a tool.
 */
export interface Profile {
  readonly name: string;
  readonly systemPrompt: string;
  /** Names of the tools it may see, or all. */
  readonly tools: readonly string[] | "all";
  readonly limits: Limits;
  /** Fixed calls before the first model call (round 0). */
  readonly seedCalls: readonly SeedCall[];
  /** For investigations: which write files the report. */
  readonly report: ReportRule | null;
  /** False: a write that follows a denied or unknown one of its turn is skipped. */
  readonly continueAfterFailedWrite: boolean;
}

export interface Limits {
  /** A round is one model call with its tools; the seed round is none. */
  readonly maxRounds: number;
  /** Time in model and tools; the clock stops while people decide. */
  readonly activeMs: number;
  readonly maxTools: number;
  readonly maxTokens: number;
}

export interface SeedCall {
  readonly tool: string;
  /** Argument name → field of the run's input. */
  readonly argumentsFromInput: Readonly<Record<string, string>>;
}

export interface ReportRule {
  /** The write that files it, and which of its arguments and result fields mean what. */
  readonly tool: string;
  readonly severityArgument: string;
  readonly findingsArgument: string;
  readonly reportIdField: string;
  /** Field of the run's input that names what is investigated. */
  readonly subjectInput: string;
}

/** The report that an investigation starts from. */
export function emptyReport(rule: ReportRule, input: JsonObject): Report {
  const subject = input[rule.subjectInput];
  return {
    subject: typeof subject === "string" ? subject : "",
    severity: null,
    findings: [],
    evidence: [],
    filing: { status: "not_attempted" },
  };
}

/** Parallel reads of one turn, and calls of one turn (core.md, section 8). */
export const PARALLEL_CALLS = 8;
export const CALLS_PER_TURN = 32;
