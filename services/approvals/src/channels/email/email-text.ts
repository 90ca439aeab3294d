import { type ApprovalCard, type CardLine, cutText, headOf, type WebhookEvent } from "@toolbus/contracts";

/** The texts of a mail. */
export interface EmailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The longest argument of a mail, in characters. The page and the terminal show the rest. */
const MOST_CHARS = 4000;
const MOST_LINES = 200;
const MOST_SUBJECT = 150;

/** Renders the card of an approval as a mail: as plain text, and as simple HTML with the same lines. `page` is the address of the approval's page. */
export function emailText(card: ApprovalCard, event: WebhookEvent, page: string | null): EmailText {
  const [begins, says] = introOf(event, card);
  const lines: readonly Line[] = [
    { text: says },
    { text: "" },
    { text: cutText(card.title.text, MOST_CHARS), strong: true },
    ...card.doubts.map((doubt) => ({ text: `! LOOK CLOSELY: ${doubt}`, strong: true })),
    ...card.notices.map((notice) => ({ text: `! ${notice}`, strong: true })),
    { text: "" },
    { text: `Status: ${card.status}` },
    ...block(null, card.facts),
    ...block("What changes, by the worker's plan", card.plan),
    ...block("Arguments", card.arguments),
    ...block("Decisions", card.decisions),
  ];
  return {
    // Nodemailer encodes the subject. Without line breaks and control characters no mail server can read it as another header.
    subject: headOf(`[Toolbus] ${begins}: ${card.title.text}`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "), MOST_SUBJECT),
    text: [...lines.map(({ text }) => text), "", closing(card.id, page)].join("\n"),
    html: [
      '<!doctype html><html lang="en"><body style="font-family:sans-serif">',
      ...lines.map(({ text, strong }) => (strong ? `<p><strong>${escaped(text)}</strong></p>` : `<div>${spaced(escaped(text))}</div>`)),
      page === null ? `<p>${escaped(closing(card.id, page))}</p>` : `<p><a href="${escaped(page)}">${LINK}</a> ${NEVER}</p>`,
      "</body></html>",
    ].join("\n"),
  };
}

function introOf(event: WebhookEvent, { status }: ApprovalCard): readonly [string, string] {
  if (event === "approval.held") return ["waits for a decision", "A write waits for people to decide."];
  if (event === "approval.ended") return [headOf(status, 60), `This no longer waits: ${status}.`];
  return ["still waits", "A write still waits for people to decide, and a part of their time is over."];
}

const LINK = "Read it and decide";
const NEVER = "The link decides nothing by itself.";

interface Line {
  readonly text: string;
  readonly strong?: boolean;
}

function block(title: string | null, lines: readonly CardLine[]): readonly Line[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MOST_LINES).map(({ label, text, depth }) => ({
    text: `${"  ".repeat(depth + (title === null ? 0 : 1))}${label}: ${cutText(text, MOST_CHARS)}`,
  }));
  const more = lines.length - shown.length;
  return [
    ...(title === null ? [] : [{ text: "" }, { text: `${title}:` }]),
    ...shown,
    ...(more > 0 ? [{ text: `  [${more} more lines are left out]` }] : []),
  ];
}

function closing(id: string, page: string | null): string {
  return page === null ? `Decide with: toolbus approvals show ${id}` : `${LINK}: ${page}\n${NEVER}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Keeps the indentation, which HTML would drop. */
function spaced(text: string): string {
  return text.replace(/^ +/, (spaces) => "&nbsp;".repeat(spaces.length)).replaceAll("\n", "<br>") || "&nbsp;";
}
