/** First in, first out, in constant time each: an array's `shift` moves every item that stays. */
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
