import type { Transition } from "@toolbus/contracts";
import { markdownTable } from "../markdown-table.ts";

/** Returns the table of one state machine, with a row for each transition and the function that decides it. */
export function transitionTable(transitions: readonly Transition[]): string {
  const rows = transitions.map(({ name, by, when, changes, rare = {} }) => {
    const usual = changes.filter((change) => rare[change] === undefined);
    const reasons = Map.groupBy(Object.keys(rare), (change) => rare[change] ?? "");
    return [
      `\`${name}\``,
      `\`${by.name}\``,
      when,
      byDocument(usual).join("<br>"),
      [...reasons].map(([why, of]) => `${byDocument(of).join("; ")}: ${why}`).join("<br>"),
    ];
  });
  return markdownTable(["Transition", "Function", "When", "Changes", "Rare changes, and why they are rare"], rows);
}

/** Returns changes such as `run ready → waiting`, grouped by kind of document. */
function byDocument(changes: readonly string[]): readonly string[] {
  const kinds = Map.groupBy(changes, (change) => change.slice(0, change.indexOf(" ")));
  return [...kinds].map(([kind, of]) => `${kind} ${of.map((change) => change.slice(kind.length + 1)).join(", ")}`);
}
