import { type Approval, headOf, type JsonObject, type Problem } from "@toolbus/contracts";
import type { DecisionOutcome } from "../../decisions/decision-outcome.ts";
import { type EditField, isAbout } from "../../decisions/edit-fields.ts";
import { safeText } from "../../decisions/safe-text.ts";
import { counting } from "../../machine/edited.ts";
import { COMMENT, sayingDialog, TICKET } from "./slack-dialog.ts";

// The answers to the submission of a dialog.

/** Returns the answer with the outcome of a decision. `fields` are those of the dialog, if it has inputs for other arguments. */
export function answerTo(outcome: DecisionOutcome, fields: readonly EditField[] = []): JsonObject {
  if (outcome.kind === "decided") return says(inWords(outcome.approval));
  if (outcome.why === "ticket_missing" || outcome.why === "ticket_wrong") return errors({ [TICKET]: outcome.reason });
  if (outcome.why === "edit_refused") return faultsOf(outcome.reason, outcome.problems ?? [], fields);
  return says(outcome.reason);
}

/** Replaces the dialog by one sentence. */
export function says(sentence: string): JsonObject {
  return { response_action: "update", view: sayingDialog(sentence) };
}

/** Keeps the dialog open with its answers, so that the person can submit it again. */
export function retry(sentence: string): JsonObject {
  return errors({ [COMMENT]: sentence });
}

/** Keeps the dialog open, with each fault of the arguments below its input. The other faults are below the comment, after the reason. */
export function faultsOf(reason: string, problems: readonly Problem[], fields: readonly EditField[]): JsonObject {
  const found = fields.flatMap((field) => {
    const own = problems.filter((problem) => isAbout(field, problem));
    return own.length === 0 ? [] : [[field.id, sentenceOf(own)]];
  });
  const elsewhere = problems.filter((problem) => !fields.some((field) => isAbout(field, problem)));
  const rest = found.length > 0 && elsewhere.length === 0 ? {} : { [COMMENT]: [reason, sentenceOf(elsewhere)].filter(Boolean).join(" ") };
  return errors({ ...Object.fromEntries(found), ...rest });
}

/** An answer to Slack. `refusal` says in one sentence why the decision was not accepted, and is null if it was. */
export interface Answered {
  readonly answer: JsonObject;
  readonly refusal: string | null;
}

/** Returns an answer that refuses a decision, with its sentence: a fault below an input, or the text that replaces the dialog. */
export function refusedWith(answer: JsonObject): Answered {
  const { errors: faults = {}, view } = answer as { readonly errors?: Readonly<Record<string, string>>; readonly view?: SayingDialog };
  return { answer, refusal: Object.values(faults)[0] ?? view?.blocks[0]?.text.text ?? null };
}

interface SayingDialog {
  readonly blocks: readonly { readonly text: { readonly text: string } }[];
}

function errors(shown: Readonly<Record<string, string>>): JsonObject {
  return { response_action: "errors", errors: shown };
}

/** Returns the problems with the names of their arguments, because a person whose dialog is gone reads the sentence too. */
function sentenceOf(problems: readonly Problem[]): string {
  const text = problems.map(({ path, message }) => `${path === "" ? "The arguments" : path.slice(1)} ${message}.`).join(" ");
  return headOf(safeText(text), MOST_ERROR);
}

const MOST_ERROR = 500;

/** Returns the outcome of this decision, as the decision left the approval. */
function inWords(approval: Approval): string {
  const { status, decisions, need, effect } = approval;
  const made = decisions.at(-1);
  const more = need - counting(approval).length;
  const waits = status === "pending" ? ` It needs ${more === 1 ? "another approver" : `${more} more approvers`}.` : "";
  // The person has not read the effect of the changed arguments on any card.
  if (made?.sent !== undefined) return `You approved this with other arguments.${waits} The write is now: ${safeText(effect)}`;
  if (waits !== "") return `You approved this.${waits}`;
  return { approve: "You approved this.", deny: "You denied this.", revise: "You asked for changes." }[made?.decision ?? "approve"];
}
