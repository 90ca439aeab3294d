/** A first-in, first-out queue with constant time per operation. An array's `shift` would move every remaining item. */
export interface Fifo<T> {
  readonly size: number;
  push(item: T): void;
  shift(): T | undefined;
}

export function fifo<T>(): Fifo<T> {
  let incoming: T[] = [];
  let outgoing: T[] = [];
  return {
    get size() {
      return incoming.length + outgoing.length;
    },
    push: (item) => void incoming.push(item),
    shift() {
      if (outgoing.length === 0) {
        outgoing = incoming.toReversed();
        incoming = [];
      }
      return outgoing.pop();
    },
  };
}
