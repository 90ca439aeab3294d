import type { Json, TranscriptEntry } from "@toolbus/contracts";
import { objectIn } from "./release-facts.ts";

/** How one call of a tool ended, according to the transcript. */
export type Attempt = Succeeded | Failed;

export interface Succeeded {
  readonly ok: true;
  readonly content: string;
}

export interface Failed {
  readonly ok: false;
  readonly status: string;
  /** The error's code, or the status if the content has no code. */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** A person's own words: the content's `comment`, or the quotation in its message. */
  readonly words: string | null;
}

/** Every answered call of one tool in one run, oldest first. Calls of earlier runs of the conversation are history and do not count. */
export function attemptsOf(tool: string, runId: string, transcript: readonly TranscriptEntry[]): readonly Attempt[] {
  return transcript.flatMap((entry) => (entry.type === "result" && entry.runId === runId && entry.name === tool ? [attempt(entry)] : []));
}

/** How the call of this result ended. */
export function attempt({ status, content, isError }: TranscriptEntry & { readonly type: "result" }): Attempt {
  if (status === "ok" && !isError) return { ok: true, content };
  const error = objectIn(content);
  const message = textOr(error?.["message"], error ? "No reason was given." : content);
  return {
    ok: false,
    status,
    code: textOr(error?.["error"], status),
    message,
    retryable: error?.["retryable"] === true,
    words: textOr(error?.["comment"], quotedIn(message)) || null,
  };
}

/** The message puts a person's words in quotation marks. Words that contain quotation marks themselves are kept whole. */
function quotedIn(message: string): string {
  return message.slice(message.indexOf('"') + 1, Math.max(0, message.lastIndexOf('"')));
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

/** One retry per tool and run, of the last attempt, if its error says that a retry can help and that nothing can have happened. */
export function mayRetry(attempts: readonly Attempt[]): boolean {
  const last = attempts.at(-1);
  if (!last || last.ok || !isTransient(last)) return false;
  return attempts.filter((attempt) => !attempt.ok && isTransient(attempt)).length === 1;
}

function isTransient(failed: Failed): boolean {
  return failed.retryable && failed.status !== "outcome_unknown" && failed.status !== "denied" && failed.status !== "cancelled";
}
