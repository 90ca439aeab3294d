import { type ErrorName, errorRow, failedResult, type Problem, type ToolResult } from "@toolbus/contracts";
import { redactText } from "@toolbus/telemetry";
import { asciiJson } from "./ascii-json.ts";
import { withoutHtml } from "./text-of-html.ts";

export interface ProblemOptions {
  /** Whether the same call may succeed later. The default depends on the code. */
  readonly retryable?: boolean;
  /** The number of seconds until a repeat makes sense. */
  readonly retryAfter?: number;
  readonly details?: readonly Problem[];
  /**
   * Says that the target refused the write and nothing happened. It is only for the `run` of a write. Without it, the outcome of a failed write is
   * open, and the tool's `idempotency` decides what happens next.
   */
  readonly effect?: "none";
  /**
   * The dependency that failed. Without it, `unavailable` and `timeout` count against the breakers of all dependencies of the tool. Null says that the
   * problem is no failure of a dependency, such as a refused credential.
   */
  readonly dependency?: string | null;
  readonly cause?: unknown;
}

/**
 * A problem that a handler returns or throws, and that the model reads. It has a message that says what to do, and a code. The code belongs to the
 * tool's own domain (`release_not_found`), or is one of `rate_limited`, `unavailable`, `invalid_arguments`, `policy_denied`, `timeout`,
 * `execution_failed`.
 */
export class ToolProblem extends Error {
  /** The name in a stack trace or a log. It depends on the code (see docs/errors.md). */
  override readonly name: ErrorName;
  readonly code: string;
  readonly options: ProblemOptions;

  /** Throws a RangeError for a code that only Toolbus itself may use, or that is not a lower-case name. */
  constructor(code: string, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!CODE.test(code)) throw new RangeError(`"${code.slice(0, 80)}" is not a code: use lower-case letters, digits and underscores.`);
    if (OWN_CODES.has(code)) throw new RangeError(`The code "${code}" says how Toolbus ended a call; a tool cannot give it.`);
    this.name = errorRow(code).name;
    this.code = code;
    this.options = options;
  }
}

/** Creates a problem that a handler can return: `return toolError("release_not_found", "There is no release v9.")`. */
export function toolError(code: string, message: string, options: ProblemOptions = {}): ToolProblem {
  return new ToolProblem(code, message, options);
}

/** Returns the result that the model reads. */
export function problemResult(problem: ToolProblem): ToolResult {
  const { retryable, retryAfter, details } = problem.options;
  return failedResult(problem.code, cleanText(withoutHtml(redactText(problem.message)), MESSAGE_CHARS), {
    ...(retryable === undefined ? {} : { retryable }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(details === undefined ? {} : { details: boundedDetails(details) }),
  });
}

/**
 * Returns the result for any other value that a handler throws. The result contains the error's class, and never its message or its stack.
 * Nobody wrote these for a model, and they may contain the row of a database or an HTML page. The worker's log has the whole error.
 */
export function unexpectedResult(error: unknown, tool: string): ToolResult {
  const says = `"${tool}" failed inside its own code (${classOf(error)}). The log of its worker has the reason.`;
  return failedResult("execution_failed", says);
}

/**
 * Returns the class of an error, such as `TypeError` or `Error, ECONNREFUSED`. Text that does not look like the name of a class or a code is left
 * out.
 */
function classOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const code = "code" in error && typeof error.code === "string" && SYSTEM_CODE.test(error.code) ? `, ${error.code}` : "";
  return `${CLASS.test(error.name) ? error.name : "Error"}${code}`;
}

/** Returns the first details that together fit an attribute of 4 KiB. Each detail is one line of moderate length. */
export function boundedDetails(details: readonly Problem[]): readonly Problem[] {
  const kept: Problem[] = [];
  for (const { path, message } of details.slice(0, MAX_DETAILS)) {
    const detail = { path: cleanText(path, DETAIL_CHARS), message: cleanText(message, DETAIL_CHARS) };
    if (asciiJson([...kept, detail]).length > MAX_DETAIL_BYTES) break;
    kept.push(detail);
  }
  return kept;
}

/** Returns the text on one line without control characters, truncated to this number of characters. */
export function cleanText(text: string, chars: number): string {
  const line = text
    .slice(0, chars * 2)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim();
  return line.length > chars ? `${line.slice(0, chars - 1).toWellFormed()}…` : line.toWellFormed();
}

const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const OWN_CODES: ReadonlySet<string> = new Set([
  "tool_not_found",
  "tool_disabled",
  "no_worker",
  "tool_changed",
  "result_too_large",
  "worker_crashed",
  "denied_by_user",
  "revision_requested",
  "approval_expired",
  "approval_lapsed",
  "limit",
  "not_executed",
  "skipped",
  "outcome_unknown",
  "cancelled",
]);
const MESSAGE_CHARS = 2000;
const CLASS = /^[A-Z][A-Za-z]{0,39}$/;
const SYSTEM_CODE = /^E[A-Z_]{2,39}$/;
const MAX_DETAILS = 16;
const DETAIL_CHARS = 120;
const MAX_DETAIL_BYTES = 4096;
