/** A value that is due at a time. */
export interface Timed {
  /** The time when the value is due, in virtual milliseconds. */
  readonly due: number;
  /** Breaks ties: the event that was scheduled first happens first. */
  readonly order: number;
}

/** A binary heap that returns the earliest event first, in O(log n) for each operation. */
export interface EventHeap<T extends Timed> {
  readonly size: number;
  push(event: T): void;
  pop(): T | undefined;
  peek(): T | undefined;
}

export function eventHeap<T extends Timed>(): EventHeap<T> {
  const items: T[] = [];
  return {
    get size() {
      return items.length;
    },
    push(event) {
      let at = items.push(event) - 1;
      while (at > 0) {
        const above = (at - 1) >> 1;
        const parent = items[above] as T;
        if (!before(event, parent)) break;
        items[at] = parent;
        at = above;
      }
      items[at] = event;
    },
    pop() {
      const first = items[0];
      const last = items.pop();
      if (last !== undefined && items.length > 0) sink(last);
      return first;
    },
    peek: () => items[0],
  };

  function sink(event: T): void {
    const { length } = items;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= length) break;
      if (below + 1 < length && before(items[below + 1] as T, items[below] as T)) below++;
      if (!before(items[below] as T, event)) break;
      items[at] = items[below] as T;
      at = below;
    }
    items[at] = event;
  }
}

function before(a: Timed, b: Timed): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
