import type { Json } from "../json.ts";
import type { Problem } from "../parse.ts";
import { CHECK_DEPTH, CHECK_STEPS } from "./limits.ts";
import { below } from "./schema-fault.ts";

/** Whether the value obeys one keyword, or one schema. Violations are reported to the run. */
export type Check = (value: Json, run: Run, seen: Seen | null) => boolean;

/** Thrown when a check has used up its steps, or the value is too deep. Never leaves this module. */
export class CheckEnded extends Error {
  override readonly name = "CheckEnded";
}

/** A sender of ten thousand wrong fields needs to read only the first few. */
export const MAX_PROBLEMS = 8;

/** How many steps checks may still take; several checks of one call share one. */
export interface Steps {
  left: number;
}

export function newSteps(): Steps {
  return { left: CHECK_STEPS };
}

/** One check of one value: its remaining cost, its findings, and its current place. */
export class Run {
  readonly problems: Problem[] = [];
  readonly #path: (string | number)[] = [];
  /** Inside schemas that may fail without harm (`not`, `if`, `contains`): nothing is reported. */
  #quiet = 0;
  /** Inside one of several forms: no default is applied. */
  #forms = 0;

  /** Pays for steps. A property, so that patterns can be passed it. */
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

/** Which members and items of a value a schema has looked at; recorded only if a schema asks (`unevaluatedProperties`, `unevaluatedItems`). */
export class Seen {
  readonly members = new Set<string>();
  readonly items = new Set<number>();

  add(other: Seen, run: Run): void {
    run.spend(2 * (other.members.size + other.items.size));
    for (const member of other.members) this.members.add(member);
    for (const item of other.items) this.items.add(item);
  }
}

/** Like the `number` of our own schemas: it excludes infinite ones, which JSON text can express (1e999) but which cannot be written back. */
export function isNumber(value: Json): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
