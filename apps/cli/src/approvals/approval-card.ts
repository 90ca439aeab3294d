import type { ApprovalView } from "@toolbus/contracts";
import { changeLines } from "./edited-arguments.ts";
import { wrapped } from "../terminal/lines.ts";

/** The fields of an approval that the card shows. */
export type ApprovalCard = Pick<
  ApprovalView,
  "id" | "tool" | "toolVersion" | "tier" | "effect" | "arguments" | "doubts" | "requester" | "idempotency" | "expiresAt" | "edited"
>;

/**
 * Returns the card as text: what the call does, to what and for whom. The text comes from the data that approvals stores, not from the model's words.
 */
export function cardLines(card: ApprovalCard, now: number): string[] {
  const minutes = Math.max(0, Math.round((card.expiresAt - now) / 60_000));
  return [
    `${card.effect}`,
    ...doubtLines(card.doubts ?? []),
    ...(card.edited ? changeLines(card.edited.changes).map((line) => `! CHANGED by ${card.edited?.by ?? ""}: ${line}`) : []),
    "",
    `tool       ${card.tool}@${card.toolVersion}, a ${card.tier}-tier write`,
    `requester  ${card.requester}`,
    `${card.idempotency.inWords}`,
    `expires    in ${minutes} min`,
    `approval   ${card.id}`,
    "",
    ...Object.entries(card.arguments ?? {}).flatMap(([name, value]) => argumentLines(name, value)),
  ];
}

/** Returns the lines of the card in a frame of the given width. */
export function framedCard(card: ApprovalCard, now: number, width: number, frame: (line: string) => string): string[] {
  return [
    frame(`┌─ approval ${"─".repeat(width - 12)}`),
    ...cardLines(card, now).flatMap((text) => wrapped(text, width - 4).map((part) => `${frame("│")} ${part}`.trimEnd())),
    frame(`└${"─".repeat(width - 1)}`),
  ];
}

/** Returns lines that spell out the words that a person may misread. They appear right below the effect. */
function doubtLines(doubts: NonNullable<ApprovalCard["doubts"]>): string[] {
  return doubts.map(({ place, why, word, spelled }) => `! LOOK CLOSELY at "${word}" in ${place}: ${IN_WORDS[why]}, ${spelled}`);
}

const IN_WORDS: Readonly<Record<NonNullable<ApprovalCard["doubts"]>[number]["why"], string>> = {
  mixed_scripts: "it mixes letters of several scripts",
  looks_latin: "its letters only look like ordinary Latin ones",
  mixed_digits: "it mixes digits of several scripts",
  hidden_characters: "it has invisible characters",
};

function argumentLines(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${name}:`, ...value.map((item) => `  - ${shown(item)}`)];
  return [`${name}: ${shown(value)}`];
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
