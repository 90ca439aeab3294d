import { type ApprovalCard, type DecisionKind, type JsonObject, type SlackDialog, type SlackInteraction } from "@toolbus/contracts";
import { cardBlocks, plain, section } from "./slack-blocks.ts";

/** The id of our dialogs. Slack sends it back with a submission. */
export const DIALOG = "toolbus:decide";
/** The names of the inputs. Slack shows an error below the input with its name. */
export const COMMENT = "comment";
export const TICKET = "ticket";

const MOST_COMMENT = 2000;
const MOST_TICKET = 100;

const TITLES: Readonly<Record<DecisionKind, { readonly title: string; readonly submit: string }>> = {
  approve: { title: "Approve this write?", submit: "Approve" },
  deny: { title: "Deny this write?", submit: "Deny" },
  revise: { title: "Ask for changes?", submit: "Send" },
};

/** The answers of a person to a dialog. */
export interface DialogAnswers {
  readonly comment?: string;
  readonly ticket?: string;
}

/**
 * Returns the dialog in which a person decides. It shows the whole card, because the message may be older than the approval's current state. `edit` has
 * the inputs for other arguments, which are between the card and the ticket.
 */
export function decisionDialog(
  card: ApprovalCard,
  about: SlackDialog,
  ticket: "required" | "optional" | "none",
  edit?: { readonly title: string; readonly inputs: readonly JsonObject[] },
): JsonObject {
  const { title, submit } = TITLES[about.decision];
  return {
    type: "modal",
    callback_id: DIALOG,
    private_metadata: JSON.stringify(about),
    title: plain(edit?.title ?? title, 24),
    submit: plain(submit, 24),
    close: plain("Cancel", 24),
    blocks: [
      ...cardBlocks(card),
      ...(edit?.inputs ?? []),
      ...(ticket === "none" ? [] : [input(TICKET, "Ticket", { max_length: MOST_TICKET }, ticket === "optional")]),
      input(COMMENT, "Comment", { max_length: MOST_COMMENT, multiline: true }, true),
    ],
  };
}

/** Returns a dialog that only shows one sentence. */
export function sayingDialog(sentence: string): JsonObject {
  return { type: "modal", title: plain("Toolbus", 24), close: plain("Close", 24), blocks: [section(sentence)] };
}

/**
 * Returns what a person wrote into the dialog, or the errors to show there. Slack has the same limits, so only a request that Slack did not build has
 * errors.
 */
export function answersIn({ view }: SlackInteraction): DialogAnswers | { readonly errors: Readonly<Record<string, string>> } {
  const [comment, ticket] = [COMMENT, TICKET].map((name) => view?.state?.values?.[name]?.[name]?.value?.trim() ?? "");
  if ((comment ?? "").length > MOST_COMMENT) return { errors: { [COMMENT]: `Write at most ${MOST_COMMENT} characters.` } };
  if ((ticket ?? "").length > MOST_TICKET) return { errors: { [TICKET]: `Write at most ${MOST_TICKET} characters.` } };
  return { ...(comment ? { comment } : {}), ...(ticket ? { ticket } : {}) };
}

function input(name: string, label: string, more: JsonObject, optional: boolean): JsonObject {
  const element = { type: "plain_text_input", action_id: name, ...more };
  return { type: "input", block_id: name, label: plain(label, 100), element, optional };
}
