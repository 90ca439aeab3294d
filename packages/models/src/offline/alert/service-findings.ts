import { quoted } from "../clean-text.ts";
import type { Sign } from "../finding.ts";
import type { ReleaseFacts } from "../release-facts.ts";
import { changedAreas, isRevert, wordsOf } from "../risky-areas.ts";

/** Words that do not identify a service. */
export const GENERIC_WORDS: readonly string[] = ["api", "app", "backend", "frontend", "server", "service", "svc", "worker"];

/** The connections of a release to the service of an alert. */
export interface ServiceFindings {
  /** Findings that point to the release. */
  readonly signals: readonly Sign[];
  /** Connections that prove nothing. */
  readonly leads: readonly Sign[];
}

/**
 * Returns the failed tests and changes that name the service. A change is a signal if it is in a documented risky area or undoes an earlier change.
 * Otherwise it is a lead.
 */
export function serviceFindings(service: string | null, { tests, paths, changes }: ReleaseFacts): ServiceFindings {
  const wanted = distinctive(service ?? "");
  if (service === null || wanted.length === 0) return { signals: [], leads: [] };
  const names = (text: string): boolean => holdsInOrder(wordsOf(text), wanted);
  const failed = (tests?.failures ?? []).find(names);
  const touching = { paths: paths.filter(names), changes: changes.filter(names) };
  const [where] = [...touching.paths, ...touching.changes];
  const [risk] = changedAreas(touching.paths, touching.changes);
  const undone = touching.changes.find(isRevert);
  const signals: Sign[] = [];
  if (failed !== undefined)
    signals.push({
      severity: "medium",
      text: `A failed test names the service ${quoted(service, 100)}: ${quoted(failed, 200)}.`,
      basis: "tests.failures",
    });
  if (risk)
    signals.push({
      severity: "medium",
      text: `The release changes the service ${quoted(service, 100)} in a risky area: ${risk.area} (${quoted(risk.seenIn, 200)}).`,
      basis: "areas, files, changes",
    });
  else if (undone !== undefined)
    signals.push({
      severity: "medium",
      text: `The release undoes or hastens a change of the service ${quoted(service, 100)}: ${quoted(undone, 200)}.`,
      basis: "changes",
    });
  const touches = where !== undefined && !risk && undone === undefined;
  const lead: Sign = {
    severity: "low",
    text: `The release changes the service ${quoted(service, 100)} (${quoted(where ?? "", 200)}); that alone is not a cause.`,
    basis: "areas, files, changes",
  };
  return { signals, leads: touches ? [lead] : [] };
}

/** Returns the words of a service's name without the generic ones. If all words are generic, it returns all of them. */
function distinctive(service: string): readonly string[] {
  const words = wordsOf(service).filter(Boolean);
  const rest = words.filter((word) => !GENERIC_WORDS.includes(word));
  return rest.length > 0 ? rest : words;
}

function holdsInOrder(words: readonly string[], wanted: readonly string[]): boolean {
  return words.some((_, start) => wanted.every((word, n) => words[start + n] === word));
}
