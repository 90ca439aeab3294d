import { eventHeap, type Timed } from "./event-heap.ts";

/** The owner of an event. Events of a dead process never happen. Events of a paused process wait until it continues. */
export interface Owner {
  readonly name: string;
  readonly alive: boolean;
  /** The virtual time before which none of the owner's events happens. */
  readonly pausedUntil: number;
}

/** One event that is about to happen. */
export interface Step {
  readonly number: number;
  readonly at: number;
  readonly owner: Owner | null;
  readonly label: string;
}

/** Virtual time, and all events that will happen in it. Time moves only from one event to the next. */
export interface Clockwork {
  /** Virtual milliseconds since 1970, with fractions. */
  readonly now: number;
  /** The number of events that have happened. */
  readonly steps: number;
  /**
   * Schedules a task `delayMs` from now, as an event of this owner (null for the world). The label names the event in histories. The returned
   * function cancels the task.
   */
  schedule(owner: Owner | null, delayMs: number, label: string, task: () => void): () => void;
  /** Moves time to the next event and returns the event without executing it. Returns null if nothing is due by `until`. */
  advance(until: number): { readonly step: Step; readonly run: () => void } | null;
}

interface Event extends Timed {
  readonly owner: Owner | null;
  readonly label: string;
  task: (() => void) | null;
}

/** The virtual time at the start. */
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
          // The event keeps its `order`. So the events that a paused process missed happen later in their original order.
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
