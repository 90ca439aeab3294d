import type { Change } from "@toolbus/state";
import { expectedChanges } from "../invariants/transition-tables.ts";
import { changeName, nameOf, statusOf } from "../invariants/transition-names.ts";
import type { Faults } from "../ports/faults.ts";
import { CRASH_ROWS, FAULT_ROWS } from "./crash-rows.ts";

/** The places that a world reached, each with its count: committed transitions, and the places where a process was killed. */
export interface Coverage {
  /** Commits by transition: `agent turn`, `worker sending`. */
  readonly transitions: Readonly<Record<string, number>>;
  /** Commits by transition and change: `agent turn: run ready → waiting`. */
  readonly changes: Readonly<Record<string, number>>;
  /** Kills by row of the crash table (docs/mechanics.md#crash-table). */
  readonly crashes: Readonly<Record<string, number>>;
}

export interface KeptCoverage {
  /** Returns the places reached so far, with these faults. */
  coverage(injected: Faults["injected"]): Coverage;
  committed(change: Change): void;
  /** Invoked with the label of each event. */
  step(label: string): void;
  killed(role: string, process: string): void;
}

export function emptyCoverage(): Coverage {
  return { transitions: {}, changes: {}, crashes: {} };
}

/** Adds the places of two coverages. */
export function coverageOf(one: Coverage, other: Coverage): Coverage {
  return {
    transitions: added(one.transitions, other.transitions),
    changes: added(one.changes, other.changes),
    crashes: added(one.crashes, other.crashes),
  };
}

export function keptCoverage(): KeptCoverage {
  const transitions: Record<string, number> = {};
  const changes: Record<string, number> = {};
  const statuses = new Map<string, string>();
  const crashes: Record<string, number> = {};
  const places = new Map<string, Place>();
  return {
    coverage(injected) {
      const others = FAULT_ROWS.map(({ row, faults }) => [row, faults.reduce((sum, name) => sum + injected[name], 0)] as const);
      return { transitions, changes, crashes: { ...crashes, ...Object.fromEntries(others) } };
    },
    committed(change) {
      const name = nameOf(change);
      if (name === null) return;
      transitions[name] = (transitions[name] ?? 0) + 1;
      for (const { key, value } of change.put ?? []) {
        const status = statusOf(key, value);
        if (status === null) continue;
        const what = `${name}: ${changeName(key, statuses.get(key), status)}`;
        changes[what] = (changes[what] ?? 0) + 1;
        statuses.set(key, status);
      }
    },
    step(label) {
      const [, process, text] = /^([a-z]+-[0-9.]+): (.*)$/s.exec(label) ?? [];
      if (process === undefined || text === undefined) return;
      const place = places.get(process) ?? { last: "", executed: new Set() };
      places.set(process, place);
      place.last = text;
      const request = text.replace(/ (?:> again|[><]|refused|unanswered)$/, "");
      if (text.endsWith(" >")) place.executed.add(text);
      else place.executed.delete(`${request} >`);
    },
    killed(role, process) {
      const { last, executed } = places.get(process) ?? { last: "", executed: new Set() };
      const labels = [last, ...executed];
      for (const { row, role: whose, after } of CRASH_ROWS)
        if ((whose === null || whose === role) && labels.some((label) => after.test(label))) crashes[row] = (crashes[row] ?? 0) + 1;
    },
  };
}

/** The position of a process. */
interface Place {
  /** The process's last event. */
  last: string;
  /** The requests that were executed for the process and not answered yet. */
  readonly executed: Set<string>;
}

/** The transitions that seeds must reach. */
export const TRANSITIONS: readonly string[] = ["gateway accept", ...new Set(expectedChanges.map(({ name }) => name))];

/** The changes that these transitions make to a document's status, without those that their table marks as rare. */
export const CHANGES: readonly string[] = [...new Set(expectedChanges.map(({ name, change }) => `${name}: ${change}`))];

/** With fewer seeds, a place may be unreached by chance. */
const FEWEST_SEEDS = 600;

/** Returns the places that this many seeds never reached, in words. */
export function notReached({ transitions, changes, crashes }: Coverage, seeds: number): readonly string[] {
  if (seeds < FEWEST_SEEDS) return [];
  return [
    ...TRANSITIONS.filter((name) => !transitions[name]).map((name) => `never reached: the transition "${name}"`),
    ...CHANGES.filter((what) => !changes[what]).map((what) => `never reached: the change "${what}"`),
    ...[...CRASH_ROWS, ...FAULT_ROWS]
      .filter(({ row }) => !crashes[row])
      .map(({ row, says }) => `never reached: row ${row} of the crash table: ${says}`),
  ];
}

function added(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sums: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
