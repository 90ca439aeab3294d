import { cutText, headOf } from "@toolbus/contracts";
import type { Observation } from "../observation/observation.ts";

/** What is judged: a run, or only the text of an answer. */
export type Judged = Pick<Observation, "end" | "answer" | "report" | "calls"> | { readonly answer: string };

/** The longest record in a prompt, in characters. It fits the window of every model in our table. */
export const MAX_RECORD_CHARS = 60_000;

const TEXT_LIMITS = [20_000, 4000, 1000, 200] as const;

/**
 * Returns what a judge reads about a run, as one line of JSON. A record that is too long has its texts cut, and then its end. Line separators are
 * escaped, so nothing in the record can look like a line of the prompt.
 */
export function judgedRecord(judged: Judged, maxChars = MAX_RECORD_CHARS): string {
  const shown = shownOf(judged);
  const whole = oneLine(shown);
  if (whole.length <= maxChars) return whole;
  const shorter = TEXT_LIMITS.map((limit) => oneLine(shortened(shown, limit))).find((line) => line.length <= maxChars);
  return shorter ?? `${headOf(oneLine(shortened(shown, 200)), maxChars)} [the record ends here, because it is too long]`;
}

function shownOf(judged: Judged): object {
  if (!("calls" in judged)) return { answer: judged.answer };
  const { end, answer, report, calls } = judged;
  return {
    end,
    answer,
    report:
      report === null ? null : { severity: report.severity, cause: report.cause, findings: report.findings, filing: report.filing.status },
    calls: calls.map(({ round, tool, kind, arguments: given, status, content, held, decision }) => ({
      round,
      tool,
      kind,
      arguments: given,
      status,
      result: content,
      heldForPeople: held,
      decision: decision?.outcome,
    })),
  };
}

function shortened(value: unknown, limit: number): unknown {
  if (typeof value === "string") return cutText(value, limit);
  if (Array.isArray(value)) return value.map((item: unknown) => shortened(item, limit));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shortened(part, limit)]));
}

// JSON leaves these separators as they are, and some readers of text begin a new line at them.
function oneLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
