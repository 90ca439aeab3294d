import { type ApprovalCard, type JsonObject, type SlackDialog, type SlackInteraction, visible } from "@toolbus/contracts";
import { choiceInWords, type EditField, type TypedFields } from "../../decisions/edit-fields.ts";
import { escapedMrkdwn, plain, section } from "./slack-blocks.ts";
import { COMMENT, decisionDialog, TICKET } from "./slack-dialog.ts";

// Slack accepts at most 3000 characters in an input of text, 100 options in a select and 75 characters in the text of an option. A dialog may have
// 100 blocks: the card needs fewer than 45, and a form has at most 32 fields.

const MOST_TEXT = 3000;
const MOST_OPTIONS = 100;
const MOST_OPTION = 75;
const MOST_LABEL = 150;
const MOST_HINT = 1000;

/** The value of the option that keeps a concealed value, and removes any other. The values of the other options are numbers. */
const NONE = "none";

/**
 * Returns the fields as a dialog shows them, or null if Slack's limits do not allow it. Slack may send an emoji back as its name, which would change the
 * value without the person's knowledge. So a field with an emoji is empty, like a concealed one.
 */
export function slackFields(fields: readonly EditField[]): readonly EditField[] | null {
  const shown = fields.map((field) =>
    field.kind !== "choice" && /\p{Extended_Pictographic}/u.test(field.text) ? { ...field, text: "", isConcealed: true } : field,
  );
  return shown.every(fits) ? shown : null;
}

/** Returns the dialog in which a person approves with other arguments. It shows the whole card too, as the dialog of each decision does. */
export function editDialog(card: ApprovalCard, about: SlackDialog, fields: readonly EditField[], needsTicket: boolean): JsonObject {
  return decisionDialog(card, about, needsTicket ? "required" : "optional", {
    title: "Approve with changes?",
    inputs: [
      section("Change the arguments below. The changed write may need a ticket or more approvers than this one."),
      ...fields.map(fieldBlock),
    ],
  });
}

/**
 * Returns what a person typed into the fields of a dialog. Returns null if the interaction has other inputs than the dialog, so Slack did not build it.
 * Slack may cut white space off the ends of a text and escape it, and neither counts as typed.
 */
export function typedIn(fields: readonly EditField[], { view }: SlackInteraction): TypedFields | null {
  const typed: Partial<Record<EditField["id"], string>> = {};
  for (const [block, inputs] of Object.entries(view?.state?.values ?? {})) {
    const [[name, input] = [], ...others] = Object.entries(inputs);
    if (name !== block || input === undefined || others.length > 0) return null;
    const field = fields.find(({ id }) => id === block);
    const { value, selected_option: option } = input;
    const isChoice = field?.kind === "choice";
    if (((isChoice ? value : option) ?? null) !== null) return null;
    if (!field) {
      if (block !== COMMENT && block !== TICKET) return null;
      continue;
    }
    const text = isChoice ? chosen(field, option?.value) : unlessSame(value ?? "", field.text);
    if (text === null) return null;
    typed[field.id] = text;
  }
  return typed;
}

function fits(field: EditField): boolean {
  const { kind, choices, text } = field;
  if (kind !== "choice") return text.length <= MOST_TEXT;
  const options = choices.length + (mayBeNone(field) ? 1 : 0);
  return options <= MOST_OPTIONS && choices.every((choice) => visible(choiceInWords(choice)).length <= MOST_OPTION);
}

function fieldBlock(field: EditField): JsonObject {
  const { name, id, kind, isConcealed, isRequired, hint, text } = field;
  const hints = [
    hint === "" || /[.!?]$/.test(hint) ? hint : `${hint}.`,
    isConcealed ? "This value is not shown here. Leave the field empty to keep it." : "",
    kind === "json" ? "As JSON." : "",
    !isRequired && !isConcealed ? "An empty field removes it." : "",
  ].filter(Boolean);
  return {
    type: "input",
    block_id: id,
    label: plain(visible(name), MOST_LABEL),
    ...(hints.length === 0 ? {} : { hint: plain(visible(hints.join(" ")), MOST_HINT) }),
    element: kind === "choice" ? select(field) : textInput(field),
    // Slack does not send a dialog with an empty input that is not optional, so a field that begins empty is optional.
    optional: mayBeNone(field) || text === "",
  };
}

function textInput({ id, kind, text }: EditField): JsonObject {
  const multiline = kind === "json" || text.includes("\n") || text.length > 80;
  const initial = text === "" ? {} : { initial_value: text };
  return { type: "plain_text_input", action_id: id, max_length: MOST_TEXT, multiline, ...initial };
}

function select(field: EditField): JsonObject {
  const none = { text: plain(field.isConcealed ? "as it is" : "none", MOST_OPTION), value: NONE };
  // The value of an option is its number, because Slack limits the length of a value too.
  const choices = field.choices.map((choice, n) => ({ text: plain(visible(choiceInWords(choice)), MOST_OPTION), value: String(n) }));
  const initial = choices[field.choices.indexOf(field.text)] ?? none;
  return {
    type: "static_select",
    action_id: field.id,
    options: mayBeNone(field) ? [none, ...choices] : choices,
    initial_option: initial,
  };
}

function mayBeNone({ isRequired, isConcealed, text }: EditField): boolean {
  return !isRequired || isConcealed || text === "";
}

/** Returns the JSON of the option, or null if the dialog has no such option. */
function chosen(field: EditField, value: string | undefined): string | null {
  if (value === undefined || value === NONE) return mayBeNone(field) ? "" : null;
  return field.choices.find((_, n) => String(n) === value) ?? null;
}

function unlessSame(typed: string, text: string): string {
  const [sent, shown] = [typed.replaceAll("\r\n", "\n").trim(), text.trim()];
  return sent === shown || sent === escapedMrkdwn(shown) ? text : typed;
}
