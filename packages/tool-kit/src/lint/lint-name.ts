import type { DraftDefinition } from "../tool.ts";
import { error, type Finding, warning } from "./finding.ts";

/** The name: its form, and whether it says what the kind says. */
export function lintName({ name, kind }: DraftDefinition): readonly Finding[] {
  const findings: Finding[] = [];
  if (!SNAKE_CASE.test(name))
    findings.push(
      error(
        "name_form",
        "/name",
        `"${name.slice(0, 80)}" is no name in snake case.`,
        "Use lower-case words and digits with one _ between them, as in look_up_order.",
      ),
    );
  const [verb = ""] = (name.split("__").at(-1) ?? "").split("_");
  if (kind !== "write" && ACTING.has(verb))
    findings.push(
      warning(
        "kind_doubtful",
        "/kind",
        `"${name}" is a ${kind}, and its name says that it will ${verb} something.`,
        "When a customer, a colleague or a finance system can see the effect, make it a write; else name it for what it looks at.",
      ),
    );
  return findings;
}

// Two underscores part the server from its tool.
const SNAKE_CASE = /^[a-z][a-z0-9]*(_{1,2}[a-z0-9]+)*$/;

/** Words that begin the name of something that changes the world. */
const ACTING: ReadonlySet<string> = new Set(
  (
    "add append approve archive assign ban block book cancel change charge clear close commit create deactivate delete deny deploy disable drop " +
    "edit email enable erase escalate file grant insert invite issue kill lock merge message modify move notify open order patch pay place post " +
    "publish purge push put refund reject release remove rename reopen replace reset resolve restart restore revoke rollback rotate save schedule " +
    "send set ship start stop store submit subscribe suspend terminate transfer trigger unblock unlock unsubscribe update upload upsert void " +
    "withdraw write"
  ).split(" "),
);

/** True for a word that acts: for the lint of parameters that choose between such words. */
export function isActing(word: string): boolean {
  return ACTING.has(word);
}
