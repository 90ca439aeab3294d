import { isJsonObject, type RunEnd, type RunEvent, type RunView } from "@toolbus/contracts";
import { spanOf } from "../terminal/duration.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

/** Returns the exit code for a run's end. */
export function exitCodeOf(end: Pick<RunEnd, "type">): ExitCode {
  return end.type === "run.completed" ? EXIT.ok : EXIT.failed;
}

/** Returns the run's end in one word: `completed`, `failed` or `cancelled`. */
export function outcomeOf(end: Pick<RunEnd, "type">): string {
  return end.type.slice("run.".length);
}

/** Returns a decision with those who made it. Nobody makes an approval expire, and a cancelled run needs no decision. */
export function decisionOf({ outcome, decidedBy }: Pick<Extract<RunEvent, { type: "call.decided" }>, "outcome" | "decidedBy">): string {
  const words = outcome.replaceAll("_", " ");
  if (decidedBy.length > 0) return `${words} by ${safeText(decidedBy.join(" and "))}`;
  return outcome === "expired" || outcome === "cancelled" ? words : `${words} by policy`;
}

/** Returns whether the answer lacks its end. */
export function isCutOff(end: RunEnd): boolean {
  return end.type === "run.completed" && end.truncated;
}

/** Says that the answer of a run lacks its end, why, and what to do. */
export const CUT_OFF =
  "The answer is cut off, because the model's reply reached its longest length: raise limits.maxTokens of the profile, or ask for less. Calls in that reply were not made.";

/** Returns how long nobody has served a call's tool, in words. Workers of its toolset may be alive, and serve other tools. */
export function absentFor({ toolset, at, since }: Extract<RunEvent, { type: "call.unserved" }>): string {
  return `no worker of ${safeText(toolset)} has served this tool for ${spanOf(at - since)}`;
}

/** Returns the run's place in the queue, or an empty text if the server does not report it. */
export function placeOf({ position }: Extract<RunEvent, { type: "run.queued" }>): string {
  return position === undefined ? "" : `, place ${position} in the queue`;
}

/** Returns the subject of a run in a few words, from its input. */
export function subjectOf({ input }: Pick<RunView, "input">): string {
  if (input === undefined) return "";
  const { releaseId, alert, text, changes } = input;
  if (typeof releaseId === "string") return `release ${releaseId}`;
  const head = isJsonObject(changes) && isJsonObject(changes["head"]) ? changes["head"]["ref"] : undefined;
  if (typeof head === "string") return `release ${head}`;
  if (typeof text === "string") return text;
  if (typeof alert !== "object" || alert === null || !("labels" in alert)) return "";
  const { labels } = alert;
  const named = typeof labels === "object" && labels !== null && "alertname" in labels ? labels.alertname : undefined;
  return typeof named === "string" ? `alert ${named}` : "an alert";
}

/** Returns how many people a held write waits for, in words. */
export function peopleFor({ approversNeeded = 1 }: Extract<RunEvent, { type: "call.held" }>): string {
  return approversNeeded > 1 ? `${approversNeeded} people` : "a person";
}
