import type { ApprovalView } from "./approval-view.ts";
import { type ArgumentChange, changesInWords } from "./argument-changes.ts";
import { counted } from "./counted.ts";
import type { Json } from "./json.ts";
import { hidesWhole, mask, type Masked, type MaskedText, maskQuotation, SECRET, withoutSecrets } from "./card-mask.ts";
import { isSecretName } from "./secret-arguments.ts";
import { spanInWords, utcMinute } from "./time-in-words.ts";
import { visible } from "./tool-definition.ts";

/**
 * The content that a person reads before a decision, without any layout. The page, the terminal and every other channel render this card, so all of
 * them show the same. Every text is external: a renderer escapes it for its format.
 */
export interface ApprovalCard {
  readonly id: string;
  /** The effect, from the template of the tool. */
  readonly title: CardText;
  /** The status in words, such as `pending, 1 of 2 approvers` or `rejected: not this week`. */
  readonly status: string;
  /** Sentences that spell out words that a person may misread. A renderer shows them right below the title. */
  readonly doubts: readonly string[];
  /** Warnings about arguments that an approver changed, and about untrusted content that the run has read. A renderer shows them at the top. */
  readonly notices: readonly string[];
  /** The facts about the write, one per line. */
  readonly facts: readonly CardLine[];
  readonly arguments: readonly CardLine[];
  /** What the write will change, as its worker computed it, one field per line. It is empty if the tool offers no plan. */
  readonly plan: readonly CardLine[];
  readonly decisions: readonly CardLine[];
}

/** A text in which personal data and secrets are masked. */
export interface CardText {
  readonly text: string;
  /** Absent if nothing is masked. `pointer` is a JSON Pointer into the approval. The field at this place has the whole text. */
  readonly masked?: { readonly pointer: string; readonly what: readonly Masked[] };
}

/** A line with its label. An argument with parts has an empty text, and its parts follow one level deeper. The label of a list's item is `-`. */
export interface CardLine extends CardText {
  readonly label: string;
  readonly depth: number;
}

/**
 * Makes the card of an approval from the data that approvals stores, not from the model's words. The view has no credentials. Personal data, and
 * secrets in the arguments, the plan and the quoted message are masked, and invisible characters are shown as escapes.
 */
export function cardOf(view: ApprovalView, now: number): ApprovalCard {
  return {
    id: view.id,
    title: cardTitle(view),
    status: statusOf(view),
    doubts: (view.doubts ?? []).map(doubtInWords),
    notices: noticesOf(view).map((text) => onOneLine(mask(text).text)),
    facts: factsOf(view, now).map(([label, text]) => ({ label, text: onOneLine(visible(text)), depth: 0 })),
    arguments: Object.entries(view.arguments ?? {}).flatMap(([name, value]) => argumentLines(name, value, "/arguments")),
    plan: (view.plan?.changes ?? []).map((change, n) => ({
      label: mask(change.name).text,
      depth: 0,
      ...cardText(maskedPlan(change), planPointer(n)),
    })),
    decisions: view.decisions.map((made) => decisionLine(made, view)),
  };
}

/** Returns the effect as the card shows it, for a list. */
export function cardTitle({ effect }: Pick<ApprovalView, "effect">): CardText {
  return cardText(mask(effect), "/effect");
}

/**
 * Returns the whole text of one masked field of an approval, or null if the pointer names no field of its effect, arguments or plan. The text still has
 * no credentials and shows invisible characters as escapes.
 */
export function unmaskedField(
  { effect, arguments: args, plan }: Pick<ApprovalView, "effect" | "arguments" | "plan">,
  pointer: string,
): string | null {
  if (!pointer.startsWith("/")) return null;
  const change = plan?.changes?.find((_, n) => planPointer(n) === pointer);
  if (change !== undefined) return visible(planText(change));
  let found: Json | undefined = { effect, arguments: args };
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.prototype.propertyIsEnumerable.call(found, name)) return null;
    found = (found as { readonly [name: string]: Json })[name];
  }
  if (found === undefined) return null;
  return visible(typeof found === "string" ? found : JSON.stringify(found));
}

function noticesOf({ edited, taint, plan, planning, status }: ApprovalView): readonly string[] {
  const drifted = plan?.drifted;
  const pending = status === "pending";
  return [
    ...(planning && pending ? ["The worker has not yet said what this will change. It cannot be approved before."] : []),
    ...(drifted === undefined
      ? []
      : [
          `The target changed after this was approved${pending ? ", so it needs a new decision" : " for the first time"}. The approved plan was: ${drifted.changes === undefined ? "not kept any more" : changesInWords(withoutSecrets(drifted.changes)) || "no change"}.`,
        ]),
    ...(plan?.changes?.length === 0 ? ["By the worker's plan, this changes nothing."] : []),
    ...withoutSecrets(edited?.changes ?? []).map((change) => `Changed by ${edited?.by ?? ""}: ${changesInWords([change])}.`),
    ...(taint?.sources ?? []).map(({ tool, passage }) => `The run has read untrusted content from "${tool}": ${quoted(passage)}`),
    ...(taint?.more === undefined ? [] : [`The run has read untrusted content ${counted(taint.more, "more time")}.`]),
  ];
}

/** A fact or a notice may contain a name or a text of the agent or the model. On one line, it cannot imitate another line of the card. */
function onOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ");
}

/** Returns the passage on one line in quotation marks, so that it cannot imitate a line of the card. */
function quoted(passage: string): string {
  return JSON.stringify(passage.replaceAll(/\s+/g, " ").trim());
}

function maskedPlan(change: ArgumentChange): MaskedText {
  if (isSecretName(change.name)) return SECRET;
  const [shown = change] = withoutSecrets([change]);
  const { text, masked } = mask(planText(shown));
  return { text, masked: planText(shown) === planText(change) ? masked : ["secret", ...masked] };
}

function planText({ before = "absent", after = "absent" }: ArgumentChange): string {
  return `${before} → ${after}`;
}

/** A field of the plan has one pointer for its values before and after, because people read both on one line. */
function planPointer(n: number): string {
  return `/plan/changes/${n}`;
}

function decisionLine(
  { approver, decision, comment = "", ticket, via, isVoid, argumentsHash }: ApprovalView["decisions"][number],
  { plan, planning, argumentsHash: currentHash }: ApprovalView,
): CardLine {
  const offersPlan = plan !== undefined || planning === true;
  const isOfThese = argumentsHash === undefined || argumentsHash === currentHash;
  const more = [
    isVoid ? `${offersPlan && isOfThese ? "before the present plan" : "of other arguments"}, so it does not count` : "",
    ticket === undefined ? "" : `ticket ${ticket}`,
    via === "http" ? "" : `via ${via}`,
  ]
    .filter(Boolean)
    .join(", ");
  const text = [comment, more === "" ? "" : `(${more})`].filter(Boolean).join(" ");
  return { label: visible(`${decision} by ${approver}`), text: visible(text), depth: 0 };
}

/** Returns the status, the number of approvals if one is not enough, and the reason. */
function statusOf({ status, decisions, approversNeeded, reason }: ApprovalView): string {
  const approved = decisions.filter(({ decision, isVoid }) => decision === "approve" && !isVoid).length;
  const open = status === "pending" && approversNeeded > 1 ? `, ${approved} of ${approversNeeded} approvers` : "";
  return visible(`${status.replaceAll("_", " ")}${open}${reason === undefined ? "" : `: ${reason}`}`);
}

function factsOf(view: ApprovalView, now: number): readonly (readonly [string, string])[] {
  return [
    ["Tool", `${view.tool}@${view.toolVersion}, a ${view.tier}-tier write`],
    ...(view.owner === undefined ? [] : [["Owner", view.owner] as const]),
    ["Requester", view.requester],
    ...(view.asked === undefined
      ? []
      : [["Message", `${quoted(maskQuotation(view.asked, view))} (the message that began the run)`] as const]),
    ["Agent", view.agent],
    ...view.reasons.map((why) => ["Risk", why] as const),
    ["Delivery", view.idempotency.inWords],
    ...(view.status === "pending" ? [["Expires", `in ${spanInWords(view.expiresAt - now)}`] as const] : []),
    ...beforeOf(view),
    ...termsOf(view),
    ["Approval", view.id],
    ["Run", view.runId],
  ];
}

/** Returns what was approved for this requester and tool before. */
function beforeOf({ before }: ApprovalView): readonly (readonly [string, string])[] {
  if (before === undefined) return [];
  if (before.length === 0) return [["Before", "no such write of this requester was approved lately"]];
  return before.map(({ effect, at, by }) => {
    const who = by.length === 0 ? "policy" : by.join(", ");
    return ["Before", `${mask(effect).text} (approved by ${who}, ${utcMinute(at)})`] as const;
  });
}

/** Returns what the policy demands of the people who decide. */
function termsOf({ policy }: ApprovalView): readonly (readonly [string, string])[] {
  if (policy === undefined) return [];
  const { rules, from = [], groups = {}, tickets = [] } = policy;
  return [
    ...(rules.length > 0 ? [["Policy", `${rules.length === 1 ? "rule" : "rules"} ${rules.join(", ")}`] as const] : []),
    ...from.map((list) => ["Approvers", list.join(" or ")] as const),
    ...Object.entries(groups).map(([group, count]) => ["Approvers", `at least ${count} of the group ${group}`] as const),
    ...tickets.map((pattern) => ["Ticket", `must match ${pattern}`] as const),
  ];
}

function doubtInWords({ place, why, word, spelled }: NonNullable<ApprovalView["doubts"]>[number]): string {
  const [at, what, letters] = [place, word, spelled].map((text) => mask(text).text);
  return `"${what}" in ${at}: ${WHY_DOUBTED[why]}, ${letters}`;
}

const WHY_DOUBTED: Readonly<Record<NonNullable<ApprovalView["doubts"]>[number]["why"], string>> = {
  mixed_scripts: "it mixes letters of several scripts",
  looks_latin: "its letters only look like ordinary Latin ones",
  mixed_digits: "it mixes digits of several scripts",
  hidden_characters: "it has invisible characters",
};

/**
 * Returns the lines of one argument. If the argument's name is personal data, the lines name only `parent`, because a pointer would contain the name.
 */
function argumentLines(name: string, value: Json, parent: string, place: Place = { depth: 0, isSecret: false }): CardLine[] {
  const { depth, label = name } = place;
  const isSecret = place.isSecret || isSecretName(name);
  const shownLabel = mask(label);
  const named = shownLabel.masked.length === 0;
  const pointer = named ? `${parent}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}` : parent;
  const parts = depth < MAX_DEPTH && typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (parts.length > 0) {
    const own = { label: shownLabel.text, text: "", depth, ...(named ? {} : { masked: { pointer, what: shownLabel.masked } }) };
    const inner = { depth: depth + 1, isSecret, ...(Array.isArray(value) ? { label: "-" } : {}) };
    return [own, ...parts.flatMap(([part, content]) => argumentLines(part, content, pointer, inner))];
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const whole = isSecret && hidesWhole(value) ? SECRET : mask(text);
  const what = [...new Set([...shownLabel.masked, ...whole.masked])];
  return [{ label: shownLabel.text, text: whole.text, depth, ...(what.length === 0 ? {} : { masked: { pointer, what } }) }];
}

interface Place {
  readonly depth: number;
  /** True inside an argument whose name is the name of a secret. */
  readonly isSecret: boolean;
  /** The label, if it is not the name. */
  readonly label?: string;
}

// Deeper parts are shown as JSON, because nobody can read a line that is indented so far.
const MAX_DEPTH = 6;

function cardText({ text, masked }: MaskedText, pointer: string): CardText {
  return { text, ...(masked.length === 0 ? {} : { masked: { pointer, what: masked } }) };
}
