import type { Json, TranscriptEntry } from "@toolbus/contracts";
import { objectIn } from "./release-facts.ts";

/** The outcome of one call of a tool, according to the transcript. */
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
  /** A person's own words, from the content's `comment` or from the quotation in its message. */
  readonly words: string | null;
}

/** Returns every answered call of one tool in one run, oldest first. It ignores the calls of earlier runs of the conversation. */
export function attemptsOf(tool: string, runId: string, transcript: readonly TranscriptEntry[]): readonly Attempt[] {
  return transcript.flatMap((entry) => (entry.type === "result" && entry.runId === runId && entry.name === tool ? [attempt(entry)] : []));
}

/** Returns the outcome of the call of this result. */
export function attempt({ status, content, isError }: TranscriptEntry & { readonly type: "result" }): Attempt {
  if (status === "ok" && !isError) return { ok: true, content };
  const error = objectIn(withoutNote(content).content);
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

/** Splits the line from a result that the agent puts before it if an approver changed the arguments of its call. */
export function withoutNote(content: string): { readonly note: string | null; readonly content: string } {
  const [line, note] = /^\[(The approver changed the arguments of this call .*)\]\n/.exec(content) ?? [];
  return line === undefined || note === undefined ? { note: null, content } : { note, content: content.slice(line.length) };
}

/** Returns the person's words, which the message puts in quotation marks. The words themselves may contain quotation marks. */
function quotedIn(message: string): string {
  return message.slice(message.indexOf('"') + 1, Math.max(0, message.lastIndexOf('"')));
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

/**
 * Returns true if the last attempt may be retried. Its error must say that a retry can help and that the call had no effect. Each tool has one retry
 * per run.
 */
export function mayRetry(attempts: readonly Attempt[]): boolean {
  const last = attempts.at(-1);
  if (!last || last.ok || !isTransient(last)) return false;
  return attempts.filter((attempt) => !attempt.ok && isTransient(attempt)).length === 1;
}

function isTransient(failed: Failed): boolean {
  return failed.retryable && failed.status !== "outcome_unknown" && failed.status !== "denied" && failed.status !== "cancelled";
}
