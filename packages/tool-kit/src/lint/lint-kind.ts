import type { DraftDefinition } from "../tool/tool.ts";
import { type Finding, warning } from "./finding.ts";

/**
 * Warns about a read or compute that seems to act. If a customer or a finance system sees an effect, the tool is a write. A support ticket and an
 * email are also effects. The check covers the name and the description, because the author of a tool `support_desk` may say only in the description
 * that it opens a ticket.
 */
export function lintKind({ name, kind, description }: DraftDefinition): readonly Finding[] {
  if (kind === "write") return [];
  const [first = ""] = (name.split("__").at(-1) ?? "").split("_");
  const named = ACTING.has(first) ? first : null;
  const verb = named ?? actIn(description);
  if (verb === null) return [];
  return [
    warning(
      "kind_doubtful",
      "/kind",
      `"${name}" is a ${kind}, and its ${named === null ? "description" : "name"} says that it will ${verb} something.`,
      "If a customer, a colleague or a finance system can see the effect, make it a write; otherwise name it for what it looks at.",
    ),
  ];
}

/**
 * Returns the action in the first words of a description, such as "Opens a ticket" or "Send the customer an email". Returns null for "Changes of a
 * release".
 */
function actIn(description: string): string | null {
  const [, word = "", object = ""] = FIRST_WORDS.exec(description) ?? [];
  if (!OBJECT.test(object)) return null;
  const verb = word.toLowerCase();
  return [verb, verb.replace(/s$/, ""), verb.replace(/es$/, ""), verb.replace(/ies$/, "y")].find((form) => ACTING.has(form)) ?? null;
}

const FIRST_WORDS = /^\s*(?:(?:this tool|it) (?:can |will )?)?([a-z]{2,20}) ([a-z-]{1,20})/i;
// The words that can follow a verb. Other words follow a noun that looks like the verb ("Orders of a customer").
const OBJECT = /^(?:an?|the|one|this|each|every|all|some|new|e-?mails?|messages?|money|payments?|refunds?|tickets?|invoices?)$/i;

/** The words that begin the name or the description of a tool that changes something. */
const ACTING: ReadonlySet<string> = new Set(
  (
    "add append approve archive assign ban block book cancel change charge clear close commit create deactivate delete deny deploy disable drop " +
    "edit email enable erase escalate file grant insert invite issue kill lock merge message modify move notify open order patch pay place post " +
    "publish purge push put raise refund reject release remove rename reopen replace reset resolve restart restore revoke rollback rotate save schedule " +
    "send set ship start stop store submit subscribe suspend terminate transfer trigger unblock unlock unsubscribe update upload upsert void " +
    "withdraw write"
  ).split(" "),
);

/** Returns true for a word that acts. The lint of the parameters also uses it, for parameters that choose between such words. */
export function isActing(word: string): boolean {
  return ACTING.has(word);
}
