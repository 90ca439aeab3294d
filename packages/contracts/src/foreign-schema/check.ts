import type { Json } from "../json.ts";
import type { Problem } from "../parse.ts";
import { CHECK_DEPTH, CHECK_STEPS } from "./limits.ts";
import { below } from "./schema-fault.ts";

/** Whether the value obeys one keyword, or one schema. What it breaks is reported to the run. */
export type Check = (value: Json, run: Run, seen: Seen | null) => boolean;

/** Thrown when a check has taken all its steps, or the value is too deep. Stays inside the wall. */
export class CheckEnded extends Error {
  override readonly name = "CheckEnded";
}

/** Someone who sends ten thousand wrong fields needs to read the first few. */
export const MAX_PROBLEMS = 8;

/** What checks may still take; several checks of one call share one. */
export interface Steps {
  left: number;
}

export function newSteps(): Steps {
  return { left: CHECK_STEPS };
}

/** One check of one value: what it may still cost, what it found, and where it stands. */
export class Run {
  readonly problems: Problem[] = [];
  readonly #path: (string | number)[] = [];
  /** Inside of what may fail without harm (`not`, `if`, `contains`): nothing is reported. */
  #quiet = 0;
  /** Inside of one of several forms: no default is put in place. */
  #forms = 0;

  /** Pays for steps. A property, so that patterns can take it along. */
  readonly spend: (steps: number) => void;

  constructor(budget: Steps) {
    this.spend = (steps) => {
      budget.left -= steps;
      if (budget.left < 0) throw new CheckEnded("takes too long to check against the tool's schema: send less, or simpler values");
    };
  }

  get mayFill(): boolean {
    return this.#quiet === 0 && this.#forms === 0;
  }

  /** Always false, so that a check can end with it. */
  report(message: string, member?: string): false {
    if (this.#quiet === 0 && this.problems.length < MAX_PROBLEMS) {
      this.spend(10 + 2 * this.#path.length);
      const path = this.#path.reduce((pointer: string, one) => below(pointer, one), "");
      this.problems.push({ path: member === undefined ? path : below(path, member), message });
    }
    return false;
  }

  /** A check of a member. */
  within(member: string | number, check: Check, value: Json): boolean {
    if (this.#path.length >= CHECK_DEPTH) throw new CheckEnded(`has more than ${CHECK_DEPTH} levels`);
    this.#path.push(member);
    const fits = check(value, this, null);
    this.#path.pop();
    return fits;
  }

  quietly(check: Check, value: Json, seen: Seen | null = null): boolean {
    this.#quiet++;
    const fits = check(value, this, seen);
    this.#quiet--;
    return fits;
  }

  /** Checks one of several forms. */
  asForm(check: Check, value: Json, seen: Seen | null): boolean {
    this.#forms++;
    const fits = check(value, this, seen);
    this.#forms--;
    return fits;
  }
}

/** Which members and items of a value a schema has looked at; kept only where a schema asks (`unevaluatedProperties`, `unevaluatedItems`). */
export class Seen {
  readonly members = new Set<string>();
  readonly items = new Set<number>();

  add(other: Seen, run: Run): void {
    run.spend(2 * (other.members.size + other.items.size));
    for (const member of other.members) this.members.add(member);
    for (const item of other.items) this.items.add(item);
  }
}

/** As the schemas' `number`: an infinite one is none, which JSON text can say (1e999) and not write again. */
export function isNumber(value: Json): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
