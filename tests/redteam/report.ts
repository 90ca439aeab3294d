import type { AttackResult, SystemResult, Writes } from "./run-attacks.ts";

/** The report about all systems, as `--json` prints it. */
export interface RedteamReport {
  readonly attacks: readonly AttackResult[];
  readonly writes: Writes;
  /** The number of security events that services stored, by kind. */
  readonly events: Readonly<Record<string, number>>;
  /** The attacks that reached their aim under each numbered residual risk. */
  readonly residuals: Readonly<Record<string, readonly string[]>>;
}

export function reportOf(systems: readonly SystemResult[]): RedteamReport {
  const attacks = systems.flatMap((system) => system.attacks);
  const events: Record<string, number> = {};
  for (const [kind, count] of systems.flatMap((system) => Object.entries(system.events))) events[kind] = (events[kind] ?? 0) + count;
  const residuals: Record<string, string[]> = {};
  for (const { got, name, mode, broker } of attacks) {
    const number = /^residual (\w+)$/.exec(got)?.[1];
    if (number !== undefined) (residuals[number] ??= []).push(`${name} (${broker}, ${mode})`);
  }
  return {
    attacks,
    writes: {
      allowed: sum(systems, ({ writes }) => writes.allowed),
      happened: sum(systems, ({ writes }) => writes.happened),
      unallowed: systems.flatMap(({ writes }) => writes.unallowed),
      residual: systems.flatMap(({ writes }) => writes.residual),
    },
    events,
    residuals,
  };
}

/** Returns whether every attack ended as expected and every effect was allowed or covered by a residual risk. */
export function isHeld({ attacks, writes }: RedteamReport): boolean {
  return attacks.length > 0 && attacks.every(({ ok }) => ok) && writes.unallowed.length === 0;
}

/** Returns the line of an attack, with its detail below. */
export function lineOf({ ok, name, attacker, got, expected, detail }: AttackResult): string {
  const otherwise = ok ? "" : ` (expected: ${expected})`;
  return `${ok ? "ok  " : "FAIL"} ${attacker.padEnd(9)} ${name}: ${got}${otherwise}\n${" ".repeat(15)}${printable(detail).slice(0, 200)}`;
}

export function summaryOf(report: RedteamReport): string {
  const { attacks, writes, events, residuals } = report;
  const tried = attacks.filter(({ attacker }) => attacker !== "nobody");
  const by = (words: string): number => tried.filter(({ ok, got }) => ok && got.startsWith(words)).length;
  const wrong = attacks.filter(({ ok }) => !ok);
  const named = Object.entries(residuals)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([number, names]) => `${number} (${names.length})`);
  return [
    `${tried.length} attacks: ${by("server")} refused by a server, ${by("service")} by a service, ${by("residual")} under a listed residual, ${wrong.length} otherwise than expected.`,
    `${writes.happened} writes at the targets: ${writes.happened - writes.residual.length - writes.unallowed.length} of the ${writes.allowed} that policy or people allowed, ${writes.residual.length} more under a residual, ${writes.unallowed.length} that nobody allowed.`,
    `Residuals: ${named.join(", ") || "none"}.`,
    `Security events: ${
      Object.entries(events)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(", ") || "none"
    }.`,
    ...wrong.map(({ name, broker, mode, got, expected }) => `FAIL ${broker}, ${mode}: ${name}: ${got}, expected ${expected}.`),
  ].join("\n");
}

function sum<T>(all: readonly T[], count: (one: T) => number): number {
  return all.reduce((total, one) => total + count(one), 0);
}

/** Replaces unprintable characters, because logs and errors contain text from attackers. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}
