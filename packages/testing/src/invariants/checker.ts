import type { Observation } from "../ports/observation.ts";
import { withoutPlanContent } from "./answer-text.ts";
import { brokenByApproval } from "./approval-invariants.ts";
import { batchBook } from "./batch-invariants.ts";
import { budgetBook } from "./budget-invariants.ts";
import { brokenByCall, brokenByMessage, type Rules } from "./call-invariants.ts";
import { brokenAtEnd } from "./end-invariants.ts";
import { brokenByEffect, brokenByResult, brokenBySkip } from "./effect-invariants.ts";
import { type Changed, type Facts, keptFacts } from "./facts.ts";
import { brokenByGrant } from "./grant-invariants.ts";
import { brokenByLedger } from "./ledger-invariants.ts";
import { brokenByOutbox } from "./outbox-invariants.ts";
import { keptTally, type Tally } from "../progress/tally.ts";
import { brokenByRun } from "./run-invariants.ts";
import { brokenByTransition } from "./transition-invariants.ts";
import { brokenByShown } from "./stream-invariants.ts";

/** Watches a history, and reports a broken guarantee as soon as it breaks. */
export interface Checker {
  readonly facts: Facts;
  /** The work that was done. */
  readonly tally: Tally;
  /** Records an observation and returns what it breaks. The list is empty if every guarantee holds. */
  take(observation: Observation): readonly string[];
  /** Returns the guarantees that are broken at the end of the history, in words. */
  end(): readonly string[];
}

/**
 * Makes a checker for the guarantees G1 to G6, the invariants I1 to I9 (docs/mechanics.md) and the budgets. It checks each at the moment when it can
 * break. It uses only observations from outside the services.
 */
export function checker(rules: Rules): Checker {
  const facts = keptFacts(rules.leastApprovers);
  const work = keptTally();
  const decided = new Map<string, string>();
  const budgets = budgetBook(rules.budgets);
  const batches = batchBook(facts);
  return {
    facts,
    tally: work.tally,
    take(observation) {
      const changed = facts.take(observation);
      work.take(observation, changed);
      return [...broken(observation, changed)];
    },
    end: () => brokenAtEnd(facts),
  };

  function broken(observation: Observation, changed: readonly Changed[]): readonly string[] {
    switch (observation.kind) {
      case "commit":
        return [
          ...(rules.tables ? brokenByTransition(changed, observation.change) : []),
          ...brokenByRun(facts, changed, observation.change),
          ...brokenByApproval(facts, changed),
          ...brokenByLedger(facts, changed, { at: observation.at, slackMs: rules.slackMs }),
          ...brokenByCall(facts, changed, observation.at, rules),
          ...brokenByMessage(observation.change, rules),
          ...brokenByOutbox(facts, observation.change),
          ...brokenByResult(facts, changed),
          ...brokenBySkip(facts, changed),
          ...budgets.commit(changed, observation.change),
          ...batches.commit(changed),
        ];
      case "effect":
        return brokenByEffect(facts, observation);
      case "decided":
        return brokenByAnswer(observation);
      case "sends":
        batches.sent(observation);
        return [];
      case "batch":
        return batches.answered(observation);
      case "crash":
        return /^(?:StoreUnavailable|BusUnavailable|Unroutable):/.test(observation.error) ? [] : [faultText(observation)];
      case "fault":
        return [faultText(observation)];
      case "message":
        return brokenByGrant(facts, observation);
      case "told":
        return brokenByShown(facts, observation);
      case "model":
        if (observation.what === "asked") return budgets.asked(observation.runId);
        budgets.answered(observation.runId);
        return [];
      case "watches":
      case "planned":
      case "settle":
      case "void":
      case "edits":
      case "accepted":
        return [];
    }
  }

  /** Checks that the same token, approver and decision always receive the same answer. */
  function brokenByAnswer({ approvalId, tokenId, decision, answer }: Extract<Observation, { kind: "decided" }>): readonly string[] {
    const name = `${approvalId} ${tokenId} ${decision}`;
    const before = decided.get(name);
    const now = withoutPlanContent(answer);
    decided.set(name, now);
    return before === undefined || before === now
      ? []
      : [`G6: a repeated decision about ${approvalId} was answered differently from the first time`];
  }
}

function faultText({ process, error }: { readonly process: string; readonly error: string }): string {
  return `fault: ${process}: ${error}`;
}
