import { type ApprovalCard, type ApprovalView, type CardLine, type CardText, cardOf } from "@toolbus/contracts";
import { fitted } from "../terminal/fitted.ts";

/** Returns the card as text. It indents every line of a text except the first, so that no argument and no fact can imitate a line of the card. */
export function cardLines({ title, doubts, notices, facts, arguments: args, plan }: ApprovalCard): string[] {
  return [
    ...indented("", marked(title)),
    ...doubts.flatMap((doubt) => indented("", `! LOOK CLOSELY at ${doubt}`)),
    ...notices.flatMap((notice) => indented("", `! ${notice}`)),
    "",
    ...facts.flatMap(({ label, text }) => indented("", `${label.toLowerCase().padEnd(LABEL)}${text}`)),
    "",
    ...args.flatMap(argumentLines),
    ...(plan.length === 0 ? [] : ["", "what changes, by the worker's plan:", ...plan.flatMap(argumentLines)]),
  ];
}

/** Returns the lines of an approval's card in a frame of the given width, which no text of the card can leave or imitate. */
export function framedCard(approval: ApprovalView, now: number, width: number, frame: (line: string) => string): string[] {
  return [
    frame(`┌─ approval ${"─".repeat(width - 12)}`),
    ...cardLines(cardOf(approval, now)).flatMap((text) => fitted(text, width - 4).map((part) => `${frame("│")} ${part}`.trimEnd())),
    frame(`└${"─".repeat(width - 1)}`),
  ];
}

const LABEL = 11;

function argumentLines(line: CardLine): string[] {
  const indent = "  ".repeat(line.depth);
  const label = line.label === "-" ? "-" : `${line.label}:`;
  return indented(indent, `${indent}${label} ${marked(line)}`.trimEnd());
}

function indented(indent: string, text: string): string[] {
  const [first = "", ...more] = text.split("\n");
  return [first, ...more.map((line) => `${indent}    ${line}`)];
}

/** Returns the text. If a part of the text is masked, the result also contains the JSON pointer of that part. */
function marked({ text, masked }: CardText): string {
  return masked === undefined ? text : `${text} (masked at ${masked.pointer})`.trimStart();
}
