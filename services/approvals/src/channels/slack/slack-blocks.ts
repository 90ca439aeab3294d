import { type ApprovalCard, type CardLine, cutText, type DecisionKind, headOf, type JsonObject } from "@toolbus/contracts";

// Slack accepts at most 50 blocks in a message, 3000 characters in a text, 150 in a header and 75 on a button. All texts of a card are `plain_text`,
// which Slack shows as it is: no link, no mention and no formatting can come from an argument.

/** A message for `chat.postMessage` and `chat.update`. */
export interface SlackText {
  /** The text of the notification, in Slack's mrkdwn. */
  readonly text: string;
  readonly blocks: readonly JsonObject[];
}

const MOST_CHARS = 3000;
const MOST_LINE = 1000;
/** The maximum number of blocks for the arguments. */
const MOST_BLOCKS = 8;

/** The prefix of the buttons' ids. */
export const ACTION = "toolbus:";
/** The button that opens a dialog with the arguments. */
export const EDIT = "edit";
const BUTTONS: readonly (readonly [DecisionKind | typeof EDIT, string, string?])[] = [
  ["approve", "Approve", "primary"],
  ["deny", "Deny", "danger"],
  [EDIT, "Edit"],
  ["revise", "Ask for changes"],
];

/** Renders the card of an approval as a message. With `asks` it has buttons. `page` is the address of the approval's page, or null. */
export function cardMessage(card: ApprovalCard, { asks, page }: { readonly asks: boolean; readonly page: string | null }): SlackText {
  const pending = card.status.startsWith("pending");
  const head = pending ? "A write waits for a decision" : `This no longer waits: ${card.status}`;
  const buttons = [
    ...(asks && pending
      ? BUTTONS.map(([decision, label, style]) => button(`${ACTION}${decision}`, label, { value: card.id, ...(style ? { style } : {}) }))
      : []),
    ...pageButtons(page),
  ];
  return {
    text: escapedMrkdwn(headOf(`${head}: ${card.title.text}`, 300)),
    blocks: [
      { type: "header", text: plain(head, 150) },
      ...cardBlocks(card),
      ...actions(buttons),
      ...(pending && buttons.length === 0 ? [context(`Decide with: toolbus approvals show ${card.id}`)] : []),
    ],
  };
}

/** Renders a sentence for one person. With the address of a page, it has a button that opens the page. */
export function sentenceMessage(sentence: string, page: string | null): SlackText {
  return { text: escapedMrkdwn(sentence), blocks: [section(sentence), ...actions(pageButtons(page))] };
}

/** Renders a reminder, which is a reply to the message. */
export function reminderMessage(card: ApprovalCard): SlackText {
  const expires = card.facts.find(({ label }) => label === "Expires")?.text ?? "soon";
  const text = `This still waits for a decision, and expires ${expires}.`;
  return { text: escapedMrkdwn(text), blocks: [section(text)] };
}

/** Renders the news that a target has changed after the approval, as a reply to the message. */
export function changedMessage({ title }: ApprovalCard): SlackText {
  const text = headOf(`The target has changed since this was approved, so it needs a new decision: ${title.text}`, 300);
  return { text: escapedMrkdwn(text), blocks: [section(text)] };
}

/** Renders the content of a card, without its status as a headline and without buttons. */
export function cardBlocks(card: ApprovalCard): readonly JsonObject[] {
  return [
    section(card.title.text),
    ...(card.doubts.length === 0 ? [] : [section(card.doubts.map((doubt) => `! LOOK CLOSELY: ${doubt}`).join("\n"))]),
    ...(card.notices.length === 0 ? [] : [section(card.notices.map((notice) => `! ${notice}`).join("\n"))]),
    ...sections(`Status: ${card.status}`, linesOf(card.facts)),
    ...sections("What changes, by the worker's plan:", linesOf(card.plan)),
    ...sections("Arguments:", linesOf(card.arguments)),
    ...sections("Decisions:", linesOf(card.decisions)),
  ];
}

/** Returns a section with this text as it is. */
export function section(text: string): JsonObject {
  return { type: "section", text: plain(text, MOST_CHARS) };
}

/** Returns a text object that Slack shows as it is. Slack refuses an empty one. */
export function plain(text: string, chars: number): JsonObject {
  const shown = text.length <= chars ? text : `${headOf(text, chars - 1)}…`;
  return { type: "plain_text", text: shown.trim() === "" ? "–" : shown, emoji: false };
}

/** Escapes the three characters with which Slack's markup begins, as Slack asks for. Without them there is no link and no mention. */
export function escapedMrkdwn(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function linesOf(lines: readonly CardLine[]): readonly string[] {
  return lines.map(({ label, text, depth }) => `${"    ".repeat(depth)}${cutText(label, MOST_LINE)}: ${cutText(text, MOST_LINE)}`);
}

/** Returns the lines below their title, in as few sections as their lengths allow. If they need too many, the last section says that lines are left out. */
function sections(title: string, lines: readonly string[]): readonly JsonObject[] {
  if (lines.length === 0) return [];
  const texts: string[] = [];
  let text = title;
  for (const line of lines) {
    if (text.length + line.length + 1 <= MOST_CHARS) text = `${text}\n${line}`;
    else {
      texts.push(text);
      text = line;
    }
  }
  texts.push(text);
  const kept = texts.slice(0, MOST_BLOCKS);
  return [
    ...kept.map(section),
    ...(texts.length > kept.length ? [context("The rest is left out here. The page and the terminal show it.")] : []),
  ];
}

function context(text: string): JsonObject {
  return { type: "context", elements: [plain(text, MOST_CHARS)] };
}

function pageButtons(page: string | null): readonly JsonObject[] {
  return page === null ? [] : [button(`${ACTION}page`, "Open the page", { url: page })];
}

function actions(buttons: readonly JsonObject[]): readonly JsonObject[] {
  return buttons.length === 0 ? [] : [{ type: "actions", block_id: `${ACTION}decide`, elements: buttons }];
}

function button(action: string, label: string, more: JsonObject): JsonObject {
  return { type: "button", action_id: action, text: plain(label, 75), ...more };
}
