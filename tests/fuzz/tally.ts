/** The numbers of messages of one topic, by how the messages ended. */
interface Row {
  sent: number;
  /** Messages that had an effect. */
  done: number;
  /** Messages that were acknowledged or received without an effect. */
  dropped: number;
  /** Messages that were given up, by the short name of the reason. */
  readonly refused: Map<string, number>;
}

/** The counts of each topic. */
export interface Tally {
  sent(topic: string): void;
  done(topic: string): void;
  dropped(topic: string): void;
  refused(topic: string, reason: string): void;
  of(topic: string): Readonly<Row>;
  /** Returns the counts with one line per topic. */
  table(): string;
}

export function tally(): Tally {
  const rows = new Map<string, Row>();
  const row = (topic: string): Row => {
    const known = rows.get(topic) ?? { sent: 0, done: 0, dropped: 0, refused: new Map<string, number>() };
    rows.set(topic, known);
    return known;
  };
  return {
    sent: (topic) => void row(topic).sent++,
    done: (topic) => void row(topic).done++,
    dropped: (topic) => void row(topic).dropped++,
    refused: (topic, reason) => void row(topic).refused.set(reason, (row(topic).refused.get(reason) ?? 0) + 1),
    of: row,
    table() {
      const head = ["topic", "sent", "done", "dropped", "given up", "of these"];
      const lines = [...rows].map(([topic, { sent, done, dropped, refused }]) => [
        topic,
        ...[sent, done, dropped, givenUp({ refused })].map(String),
        [...refused]
          .toSorted(([, a], [, b]) => b - a)
          .map(([reason, count]) => `${reason} ${count}`)
          .join(", "),
      ]);
      const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)));
      return [head, ...lines]
        .map((line) =>
          line
            .map((cell, i) => (i === 0 || i === 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
            .join("  ")
            .trimEnd(),
        )
        .join("\n");
    },
  };
}

export function givenUp({ refused }: Pick<Row, "refused">): number {
  return [...refused.values()].reduce((sum, count) => sum + count, 0);
}
