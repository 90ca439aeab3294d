import { type BudgetReservation, type BudgetWindow, type Call, isRunEnd, type Json, type RunEvent } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { type Changed, familyOf } from "./facts.ts";

/** The ceilings of a world. 0 means no limit, as in the agent's settings. All runs of a world belong to one principal. */
export interface BudgetRules {
  readonly run: { readonly tokens: number; readonly toolCalls: number };
  readonly principal: { readonly tokens: number; readonly toolCalls: number };
  /** The tokens of each answer of the simulated model. */
  readonly tokensAnAnswer: number;
}

/**
 * An independent account of the budgets of a world. It counts the requests to the model and the model's answers, and ignores the usage that the agent
 * reports.
 */
export interface BudgetBook {
  /** Records that a process asked the model. Returns what is broken. */
  asked(runId: string): readonly string[];
  /** Records that the model has answered, even if nobody receives the answer, because a vendor charges for it. */
  answered(runId: string): void;
  commit(changed: readonly Changed[], change: Change): readonly string[];
}

/** The account of one budget. */
interface Account {
  readonly window: BudgetWindow;
  /** The highest use of the budget so far, reservations included. */
  readonly mostTokens: number;
  readonly mostCalls: number;
  /** Reservations that were neither used nor released. */
  readonly open: ReadonlyMap<string, BudgetReservation>;
  readonly reservations: number;
  /** The number of reservations that the tokens of an answer have replaced. */
  readonly used: number;
}

/** More tokens than any model call of these worlds reserves. */
const MOST_RESERVED = 2000;

/** What a run, or all runs of the principal, did. */
interface Deeds {
  asked: number;
  answered: number;
  calls: number;
}

const EMPTY: Account = {
  window: { tokens: 0, microUsd: 0, toolCalls: 0, ceilings: { tokens: null, microUsd: null, toolCalls: null } },
  mostTokens: 0,
  mostCalls: 0,
  open: new Map(),
  reservations: 0,
  used: 0,
};

/**
 * Checks the rules of budgets. No use exceeds a ceiling. No agent asks the model without a reservation. A budget counts each answer or keeps its
 * reservation. An agent makes and settles each reservation once. A budget counts every tool call. No budget that has room stops a run.
 */
export function budgetBook(rules: BudgetRules): BudgetBook {
  const accounts = new Map<string, Account>();
  const deeds = new Map<string, Deeds>();
  return {
    asked(runId) {
      for (const name of namesOf(runId)) deedsOf(name).asked++;
      return limitedNames(runId).flatMap((name) => {
        const { reservations } = accounts.get(name) ?? EMPTY;
        const { asked } = deedsOf(name);
        return asked <= reservations
          ? []
          : [`budget: the model was asked for ${runId} ${asked} times, and ${name} had ${reservations} reservations`];
      });
    },
    answered(runId) {
      for (const name of namesOf(runId)) deedsOf(name).answered++;
    },
    commit(changed, change) {
      const broken = changed.flatMap((document) => {
        const family = familyOf(document.key);
        if (family === "budget") return isWindow(document) ? windowBroken(document as unknown as Changed<BudgetWindow>, changed) : [];
        if (family === "call") countCall(document as unknown as Changed<Call>);
        return [];
      });
      return [...broken, ...eventsBroken(change)];
    },
  };

  function windowBroken({ key, before, after }: Changed<BudgetWindow>, changed: readonly Changed[]): readonly string[] {
    const name = nameOf(key);
    if (!after) return [`budget: ${name} was removed`];
    const account = accounts.get(name) ?? EMPTY;
    const beside = changed.filter((other) => other.key.startsWith(`${key}:`)) as unknown as readonly Changed<BudgetReservation>[];
    const open = new Map(account.open);
    let expected = before?.tokens ?? 0;
    let { reservations, used } = account;
    const broken: string[] = [];
    for (const { key: reservation, before: held, after: made } of beside) {
      if (made && held) broken.push(`budget: ${reservation} was made twice`);
      // The agent also reserves a profile's seed calls, although they need no model and so no tokens.
      if (made && made.tokens > 0) {
        reservations++;
        expected += made.tokens;
        open.set(reservation, made);
      } else if (held) {
        expected -= held.tokens;
        open.delete(reservation);
      }
    }
    const settled = beside.some(({ after: made }) => !made);
    const answer = after.tokens - expected;
    if (settled && answer === rules.tokensAnAnswer) used++;
    else if (answer !== 0)
      broken.push(`budget: ${name} has ${after.tokens} tokens, which is ${answer} more than was reserved, used and released`);
    accounts.set(name, {
      window: after,
      mostTokens: Math.max(account.mostTokens, after.tokens),
      mostCalls: Math.max(account.mostCalls, after.toolCalls),
      open,
      reservations,
      used,
    });
    const { tokens, toolCalls } = ceilingsOf(name);
    if (tokens > 0 && after.tokens > tokens) broken.push(`budget: ${name} has ${after.tokens} tokens, and ${tokens} is the most`);
    if (toolCalls > 0 && after.toolCalls > toolCalls)
      broken.push(`budget: ${name} has ${after.toolCalls} tool calls, and ${toolCalls} is the most`);
    return [...broken, ...answersBroken(name)];
  }

  /** Checks that every answer of the model is counted or still reserved. */
  function answersBroken(name: string): readonly string[] {
    const { used, open } = accounts.get(name) ?? EMPTY;
    const { answered } = deedsOf(name);
    const counted = used + open.size;
    return answered > counted ? [`budget: the model answered ${answered} times, and ${name} counts ${counted}`] : [];
  }

  function countCall({ before, after }: Changed<Call>): void {
    // A call that the agent refuses at once needs no budget.
    if (before === undefined && after && after.state !== "resolved") for (const name of namesOf(after.runId)) deedsOf(name).calls++;
  }

  function eventsBroken({ append = [] }: Change): readonly string[] {
    return append
      .filter(({ log }) => log.startsWith("tb:events:"))
      .flatMap(({ log, entries }) => {
        const runId = log.slice(log.indexOf("}:") + 2);
        return (entries as unknown as readonly RunEvent[]).flatMap((event) => {
          if (event.type === "turn") return turnBroken(runId);
          return isRunEnd(event) && "code" in event && event.code === "budget_exhausted" ? endBroken(runId) : [];
        });
      });
  }

  function turnBroken(runId: string): readonly string[] {
    return limitedNames(runId).flatMap((name) => {
      const { window } = accounts.get(name) ?? EMPTY;
      const { calls } = deedsOf(name);
      const made = ceilingsOf(name).toolCalls === 0 || calls <= window.toolCalls;
      return made ? [] : [`budget: ${calls} tool calls are made, and ${name} counts ${window.toolCalls}`];
    });
  }

  /** Another run may have released a reservation between the refusal and the end. So this check uses the highest usage ever. */
  function endBroken(runId: string): readonly string[] {
    const full = limitedNames(runId).some((name) => {
      const { mostTokens, mostCalls } = accounts.get(name) ?? EMPTY;
      const { tokens, toolCalls } = ceilingsOf(name);
      const noTokens = tokens > 0 && mostTokens + MOST_RESERVED > tokens;
      return noTokens || (toolCalls > 0 && mostCalls + 1 > toolCalls);
    });
    return full ? [] : [`budget: ${runId} was stopped by a budget, and each of them had room`];
  }

  function ceilingsOf(name: string): BudgetRules["run"] {
    return name === PRINCIPAL ? rules.principal : rules.run;
  }

  /** Returns the names of this run's budgets that have a limit. */
  function limitedNames(runId: string): readonly string[] {
    return namesOf(runId).filter((name) => ceilingsOf(name).tokens > 0 || ceilingsOf(name).toolCalls > 0);
  }

  function deedsOf(name: string): Deeds {
    const known = deeds.get(name) ?? { asked: 0, answered: 0, calls: 0 };
    deeds.set(name, known);
    return known;
  }
}

const PRINCIPAL = "the principal's budget";

function namesOf(runId: string): readonly string[] {
  return [`the budget of ${runId}`, PRINCIPAL];
}

/** Returns the owner of the budget with the key `tb:budget:{<shard>}:run:<id>` or `…:principal:<hash>:<day>`. */
function nameOf(key: string): string {
  const id = key.slice(key.indexOf("}:") + 2);
  return id.startsWith("run:") ? `the budget of ${id.slice(4)}` : PRINCIPAL;
}

/** Returns whether the document is a budget. Reservations belong to the same family. */
function isWindow({ before, after }: Changed): boolean {
  const value: Json | undefined = after ?? before;
  return typeof value === "object" && value !== null && "ceilings" in value;
}
