import { NO_ROUTE } from "@toolbus/contracts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

export interface ReadProblem {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly sentence: string;
}

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  unauthenticated: EXIT.notAllowed,
  forbidden: EXIT.notAllowed,
  self_approval: EXIT.notAllowed,
  not_found: EXIT.notFound,
  store_unavailable: EXIT.unreachable,
  shutting_down: EXIT.unreachable,
};

/**
 * Reads an answer other than 2xx. Returns the detail, fields and remedy of a problem (RFC 9457), or a sentence that says that the server is not
 * Toolbus.
 */
export function readProblem(text: string, from: { readonly url: string; readonly service: string; readonly status: number }): ReadProblem {
  const problem = parsed(text);
  if (typeof problem.code !== "string" || typeof problem.detail !== "string") {
    return {
      code: "",
      exitCode: EXIT.unreachable,
      sentence: `${from.url} answered ${from.status}, but not as the ${from.service} of Toolbus does: check the address.`,
    };
  }
  if (problem.code === "not_found" && problem.detail.startsWith(NO_ROUTE)) {
    return {
      code: problem.code,
      exitCode: EXIT.unreachable,
      sentence: `${from.url} lacks a route of ${from.service === "gateway" ? "the gateway" : from.service}, because it is another service or another version: check the address.`,
    };
  }
  const fields = fieldsOf(problem.errors);
  const said = [problem.detail, fields && `(${fields})`, problem.remedy].filter((part) => typeof part === "string" && part !== "");
  return { code: problem.code, exitCode: BY_CODE[problem.code] ?? byStatus(from.status), sentence: said.join(" ") };
}

function byStatus(status: number): ExitCode {
  // These statuses mean that the user typed a bad request. Any other status means that a valid request failed, for example because it was too late.
  return status === 400 || status === 413 || status === 422 ? EXIT.usage : EXIT.failed;
}

function parsed(text: string): {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly remedy?: unknown;
  readonly errors?: unknown;
} {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function fieldsOf(errors: unknown): string {
  if (!Array.isArray(errors)) return "";
  return errors
    .map((error: unknown) => {
      if (typeof error !== "object" || error === null || !("path" in error) || !("message" in error)) return "";
      return [error.path, error.message].filter((part) => typeof part === "string" && part !== "").join(" ");
    })
    .filter((field) => field !== "")
    .join("; ");
}
