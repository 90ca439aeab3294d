import type { Json } from "../json.ts";
import type { Problem } from "../parse.ts";
import { CHECK_DEPTH, CHECK_STEPS } from "./limits.ts";
import { below } from "./schema-fault.ts";

/** Returns whether the value obeys one keyword or one schema. Reports violations to the run. */
export type Check = (value: Json, run: Run, seen: Seen | null) => boolean;

/** The error of a check that has used up its steps, or whose value is too deep. The error never leaves this module. */
export class CheckEnded extends Error {
  override readonly name = "CheckEnded";
}

/** The largest number of problems that one check reports. The sender needs only the first few. */
export const MAX_PROBLEMS = 8;

/** The number of steps that checks may still take. Several checks of one call share them. */
export interface Steps {
  left: number;
}

export function newSteps(): Steps {
  return { left: CHECK_STEPS };
}

/** One check of one value, with its remaining steps, its problems and its current place. */
export class Run {
  readonly problems: Problem[] = [];
  readonly #path: (string | number)[] = [];
  /** This number is above 0 inside schemas whose failure is not a problem (`not`, `if`, `contains`). The check then reports nothing. */
  #quiet = 0;
  /** This number is above 0 inside a check by `asForm`. The check then applies no defaults. */
  #forms = 0;

  /** Spends steps. Throws `CheckEnded` if none are left. It is a property, so that it can be passed to patterns. */
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

  /** Reports a problem. Always returns false, so that a check can return the result. */
  report(message: string, member?: string): false {
    if (this.#quiet === 0 && this.problems.length < MAX_PROBLEMS) {
      this.spend(10 + 2 * this.#path.length);
      const path = this.#path.reduce((pointer: string, one) => below(pointer, one), "");
      this.problems.push({ path: member === undefined ? path : below(path, member), message });
    }
    return false;
  }

  /** Checks a member of the current value. */
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

  /** Runs a check that applies no defaults, such as that of one of several alternatives. */
  asForm(check: Check, value: Json, seen: Seen | null): boolean {
    this.#forms++;
    const fits = check(value, this, seen);
    this.#forms--;
    return fits;
  }
}

/**
 * The members and items of a value that a schema has evaluated. They are recorded only if a schema needs them (`unevaluatedProperties`,
 * `unevaluatedItems`).
 */
export class Seen {
  readonly members = new Set<string>();
  readonly items = new Set<number>();

  add(other: Seen, run: Run): void {
    run.spend(2 * (other.members.size + other.items.size));
    for (const member of other.members) this.members.add(member);
    for (const item of other.items) this.items.add(item);
  }
}

/**
 * Returns whether the value is a finite number. Our own schemas also refuse infinite numbers. JSON text can contain them (1e999), but
 * `JSON.stringify` writes null instead.
 */
export function isNumber(value: Json): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
