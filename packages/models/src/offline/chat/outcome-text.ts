import type { TranscriptEntry } from "@toolbus/contracts";
import { attempt, type Failed, withoutNote } from "../attempts.ts";
import { cleanText, quoted, sentence } from "../clean-text.ts";
import { resultInWords } from "./result-in-words.ts";
import { type ChatTool, exampleCall, needsReplacing, REPLACE } from "./tool-example.ts";

export type ResultEntry = Extract<TranscriptEntry, { readonly type: "result" }>;

/** Returns the outcome of one call in plain words, with a remedy if the call failed. The text never claims more than the result says. */
export function outcomeText(entry: ResultEntry, tools: readonly ChatTool[]): string {
  const ended = attempt(entry);
  if (ended.ok) {
    const { note, content } = withoutNote(ended.content);
    return [`${entry.name} answered:${note === null ? "" : ` (${cleanText(note, 500)})`}`, ...resultInWords(content)].join("\n");
  }
  return failedText(entry.name, ended, tools);
}

function failedText(name: string, failed: Failed, tools: readonly ChatTool[]): string {
  const { status, code, words } = failed;
  const reason = sentence(failed.message);
  const said = words === null ? "" : ` They said: ${quoted(words, 500)}${/[.!?]$/.test(words) ? "" : "."}`;
  if (status === "outcome_unknown")
    return `${name} may or may not have run: ${reason} Look at its target before you send it again; I do not, because it could happen twice.`;
  switch (code) {
    case "denied_by_user":
      return `${name} was not run: a person denied it.${said} Nothing was done. I am sorry, and I do not try again.`;
    case "revision_requested":
      return `${name} was not run: a person asks for other arguments first.${said} Nothing was done. Send it again with what they ask for.`;
    case "approval_expired":
    case "approval_lapsed":
      return `${name} was not run: its approval ended before it was used. Nothing was done. Send it again when someone can decide.`;
    case "invalid_arguments":
      return `${name} was not run. ${reason} ${exampleOf(name, tools)}`.trimEnd();
    case "tool_not_found":
      return `${name} was not run. ${reason}`;
    case "no_answer":
      return `${name} got no answer: ${reason}`;
    default:
      return otherwise(name, failed, reason);
  }
}

function otherwise(name: string, { status, code, retryable }: Failed, reason: string): string {
  if (status === "denied")
    return `${name} was refused (${code}): ${reason}${reason.endsWith("Nothing was done.") ? "" : " Nothing was done."}`;
  if (status === "cancelled") return `${name} was cancelled: ${reason}`;
  if (status === "not_executed") return `${name} was not run (${code}): ${reason}`;
  const remedy = retryable ? "It may pass: send it again." : "The same call will fail again: change it, or fix the cause.";
  return `${name} failed (${code}): ${reason} ${remedy}`;
}

function exampleOf(name: string, tools: readonly ChatTool[]): string {
  const tool = tools.find((known) => known.name === name);
  return tool ? `An example: ${exampleCall(tool)}${needsReplacing([tool]) ? `\n${REPLACE}` : ""}` : "";
}
