import type { DraftDefinition } from "../tool.ts";
import { type Finding, warning } from "./finding.ts";

/**
 * Whether a tool that is said to look or to compute acts: whatever a customer or a finance system sees the effect of is a write, a support ticket and an
 * email too. Its name and its description are asked, for whoever names a tool `support_desk` says there that it opens a ticket.
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
      "When a customer, a colleague or a finance system can see the effect, make it a write; else name it for what it looks at.",
    ),
  ];
}

/** What the first words of a description do to something: "Opens a ticket", "Send the customer an email". Null for "Changes of a release". */
function actIn(description: string): string | null {
  const [, word = "", object = ""] = FIRST_WORDS.exec(description) ?? [];
  if (!OBJECT.test(object)) return null;
  const verb = word.toLowerCase();
  return [verb, verb.replace(/s$/, ""), verb.replace(/es$/, ""), verb.replace(/ies$/, "y")].find((form) => ACTING.has(form)) ?? null;
}

const FIRST_WORDS = /^\s*(?:(?:this tool|it) (?:can |will )?)?([a-z]{2,20}) ([a-z-]{1,20})/i;
// A noun that looks like the verb ("Orders of a customer") is followed by something else.
const OBJECT = /^(?:an?|the|one|this|each|every|all|some|new|e-?mails?|messages?|money|payments?|refunds?|tickets?|invoices?)$/i;

/** Words that begin the name, or the description, of something that changes the world. */
const ACTING: ReadonlySet<string> = new Set(
  (
    "add append approve archive assign ban block book cancel change charge clear close commit create deactivate delete deny deploy disable drop " +
    "edit email enable erase escalate file grant insert invite issue kill lock merge message modify move notify open order patch pay place post " +
    "publish purge push put raise refund reject release remove rename reopen replace reset resolve restart restore revoke rollback rotate save schedule " +
    "send set ship start stop store submit subscribe suspend terminate transfer trigger unblock unlock unsubscribe update upload upsert void " +
    "withdraw write"
  ).split(" "),
);

/** True for a word that acts: for the lint of parameters that choose between such words. */
export function isActing(word: string): boolean {
  return ACTING.has(word);
}
