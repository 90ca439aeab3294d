import { eventHeap, type Timed } from "./event-heap.ts";

/** Whose event it is: what belongs to a dead process never happens, what belongs to a paused one waits until it goes on. */
export interface Owner {
  readonly name: string;
  readonly alive: boolean;
  /** Virtual time before which nothing of it runs. */
  readonly pausedUntil: number;
}

/** One event that is about to run. */
export interface Step {
  readonly number: number;
  readonly at: number;
  readonly owner: Owner | null;
  readonly label: string;
}

/** Virtual time and everything that is going to happen in it. Time moves only from one event to the next. */
export interface Clockwork {
  /** Virtual milliseconds since 1970, with fractions. */
  readonly now: number;
  /** Events that ran. */
  readonly steps: number;
  /**
   * Runs a task `delayMs` from now, as an event of this owner (null: of the world). The label names it in histories. What comes back calls it
   * off.
   */
  schedule(owner: Owner | null, delayMs: number, label: string, task: () => void): () => void;
  /** Moves time to the next event and gives it, without running it; null when nothing is due by `until`. */
  advance(until: number): { readonly step: Step; readonly run: () => void } | null;
}

interface Event extends Timed {
  readonly owner: Owner | null;
  readonly label: string;
  task: (() => void) | null;
}

/** When virtual time begins. */
export const START = 1_800_000_000_000;

export function clockwork(): Clockwork {
  const events = eventHeap<Event>();
  let now = START;
  let order = 0;
  let steps = 0;
  return {
    get now() {
      return now;
    },
    get steps() {
      return steps;
    },
    schedule(owner, delayMs, label, task) {
      const event: Event = { due: now + Math.max(0, delayMs), order: order++, owner, label, task };
      events.push(event);
      return () => void (event.task = null);
    },
    advance(until) {
      for (let event = events.peek(); event && event.due <= until; event = events.peek()) {
        events.pop();
        const { owner, task, label } = event;
        if (!task || owner?.alive === false) continue;
        if (owner && owner.pausedUntil > event.due) {
          // Its order is kept: what a paused process missed happens in the order in which it would have.
          events.push({ ...event, due: owner.pausedUntil });
          continue;
        }
        now = Math.max(now, event.due);
        return { step: { number: ++steps, at: now, owner, label }, run: task };
      }
      return null;
    },
  };
}
