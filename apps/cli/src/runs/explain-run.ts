import { changesInWords, counted, type EndedCall, type RunEvent, type RunView, type Wait, whatWasWritten } from "@toolbus/contracts";
import { spanOf, tookOf } from "../terminal/duration.ts";
import { cut } from "../terminal/lines.ts";
import { SELF } from "../toolbus/self.ts";
import { absentFor, CUT_OFF, decisionOf, peopleFor, placeOf, subjectOf } from "./run-lines.ts";
import { messageIn } from "./run-screen.ts";

/** The explanation of a run's state, in sentences: what happened, how it ended or what it waits for, and what a person can do. */
export interface Explanation {
  readonly happened: readonly string[];
  /** How the run ended, or what it waits for. */
  readonly stands: readonly string[];
  /** Commands with their purpose. Empty if there is nothing to do. */
  readonly next: readonly string[];
}

/** Explains a run from its view and its events only. `now` must come from the same clock as `createdAt`. */
export function explainRun(run: RunView, events: readonly RunEvent[], now: number): Explanation {
  return { happened: [askedBy(run, now), ...events.flatMap((event) => sentencesOf(event, run))], ...standsAndNext(run, now) };
}

function askedBy(run: RunView, now: number): string {
  const subject = subjectOf(run);
  const about = subject === "" ? "" : `: ${cut(subject, 80)}`;
  return `${run.requester} asked for it ${spanOf(now - run.createdAt)} ago${run.profile === undefined ? "" : `, profile ${run.profile}`}${about}`;
}

/** Returns an event as a sentence with the time since the request for the run. Returns an empty list for an event that repeats others. */
function sentencesOf(event: RunEvent, { createdAt, calls = [] }: RunView): string[] {
  const says = sentenceOf(event);
  if (says === null) return [];
  const sent = event.type === "call.resolved" ? calls.find(({ callId }) => callId === event.callId)?.sent : undefined;
  const again = sent === undefined ? "" : ` The agent sent it ${sent} times, because an answer did not come in time.`;
  return [`+${tookOf(Math.max(0, event.at - createdAt))}  ${says}${again}`];
}

/** Says how many tools were left out, because the profile allows fewer, and names the best matches among them. */
function leftOutOf({ choice }: Extract<RunEvent, { type: "run.started" }>): string {
  if (!choice) return "";
  return `, the best matches of ${choice.matched}; left out: ${choice.leftOut.slice(0, 5).join(", ")}${choice.leftOut.length > 5 ? " and more" : ""}`;
}

function sentenceOf(event: RunEvent): string | null {
  switch (event.type) {
    case "run.queued":
      return `It waited behind ${event.behind}${placeOf(event)}.`;
    case "run.started":
      return `It started with ${counted(event.tools.length, "tool")}${leftOutOf(event)}.`;
    case "turn":
      return turnOf(event);
    case "model.retry":
      return `The model failed, attempt ${event.attempt} (${event.code}): ${cut(event.message, 120)}`;
    case "call.held":
      return `${event.tool} had to be decided by ${peopleFor(event)} (${event.tier} tier, ${event.approvalId}): ${cut(event.effect, 100)}`;
    case "call.decided":
      return decidedSentence(event);
    case "call.unserved":
      return `${event.tool} waited for a worker: ${absentFor(event)}.`;
    case "call.settled":
      return event.content;
    case "call.asked":
      return `The model asked: ${cut(event.question, 120)}`;
    case "question.asked":
      return `${event.tool} of ${event.from} asked: ${cut(event.message, 120)}`;
    case "question.ended":
      return `The question of ${event.tool} ended as ${event.outcome}.${event.reason === undefined ? "" : ` ${event.reason}`}`;
    case "call.resolved":
      return event.status === "ok"
        ? `${event.tool} succeeded after ${tookOf(event.latencyMs)}.`
        : `${event.tool} ended as ${event.status}: ${cut(messageIn(event.content) || event.content, 160)}`;
    case "run.cancelling":
      return `${event.by} cancelled it.`;
    default:
      return null;
  }
}

function decidedSentence(event: Extract<RunEvent, { type: "call.decided" }>): string {
  const { tool, outcome, decidedBy } = event;
  if (outcome === "expired") return `The approval of ${tool} expired.`;
  if (outcome === "limit") return `${tool} reached a limit of the policy.`;
  if (outcome === "revision_requested") return `${tool} was sent back for a revision by ${decidedBy.join(" and ")}.`;
  return `${tool} was ${decisionOf(event)}${changed(event)}.`;
}

function changed({ changes = [] }: Extract<RunEvent, { type: "call.decided" }>): string {
  return changes.length === 0 ? "" : `, with changed arguments: ${cut(changesInWords(changes), 160)}`;
}

function turnOf({ round, seed, provider, model, calls, text }: Extract<RunEvent, { type: "turn" }>): string {
  const asked = calls.map(({ tool }) => tool).join(", ");
  if (seed) return asked === "" ? "It began without a call." : `It began with ${asked}.`;
  const who = `Round ${round}: ${provider}/${model}`;
  return asked === "" ? `${who} answered${text === "" ? " nothing" : ""}.` : `${who} asked for ${asked}.`;
}

function standsAndNext(run: RunView, now: number): Pick<Explanation, "stands" | "next"> {
  const { status, code, answer, waits = [], conversationId } = run;
  if (status === "done")
    return {
      stands: [run.truncated ? CUT_OFF : "It ended with an answer.", ...writesOf(run), ...openOutcomes(run, now)],
      next: [...looks(run), `${SELF} chat --conversation ${conversationId}  # continue`],
    };
  if (status === "failed" || status === "cancelled") {
    const stands = [
      `It ended as ${status}${code === undefined || code === status ? "" : ` (${code})`}: ${answer ?? "it does not say why"}`,
      ...openOutcomes(run, now),
    ];
    return { stands, next: [...looks(run), ...remedies(code ?? "", run), `${SELF} chat --conversation ${conversationId}  # ask again`] };
  }
  return {
    stands: waits.map(
      (wait) => `It waits${wait.since === undefined ? "" : ` for ${spanOf(now - wait.since)} now`}: ${wait.says}${endOf(wait, now)}`,
    ),
    next: [...new Set([...waits.flatMap((wait) => commandFor(run.runId, wait)), `${SELF} runs cancel ${run.runId}  # give it up`])],
  };
}

/** Returns the writes of a run that ended well. For any other end, the run's own message begins with its writes. */
function writesOf({ writes }: RunView): string[] {
  const written = whatWasWritten(writes);
  return written === null ? [] : [`${written}.`];
}

/** Returns a line for each write of unknown outcome, with the state in its worker's ledger and whether that may still change. */
function openOutcomes({ calls = [] }: RunView, now: number): string[] {
  return calls
    .filter(({ outcome }) => outcome === "outcome_unknown")
    .map(({ tool, ledger, followedUntil }) => {
      const said = ledger ? ledgerSays(ledger, now) : "its worker's ledger has no record that counts";
      const follows =
        followedUntil === undefined || followedUntil <= now
          ? "Nobody will learn more by waiting."
          : `The agent looks there for ${spanOf(followedUntil - now)} more.`;
      return `${tool} may have happened: ${said}. ${follows}`;
    });
}

function ledgerSays({ state, attempt, since }: NonNullable<EndedCall["ledger"]>, now: number): string {
  const which = attempt > 1 ? ` by attempt ${attempt}` : "";
  const ago = `${spanOf(now - since)} ago`;
  if (state === "begun") return `its worker's ledger says that it was begun ${ago}${which}, and not that it was sent`;
  if (state === "sending") return `its worker's ledger says that it was sent to the target ${ago}${which}, and no outcome`;
  return `its worker recorded ${ago}${which} that it does not know the outcome`;
}

/** Returns advice if the outcome of a write is unknown. */
function looks({ calls = [] }: RunView): string[] {
  return calls.some(({ outcome }) => outcome === "outcome_unknown") ? ["# look at the target before you ask for the write again"] : [];
}

function endOf({ kind, until }: Wait, now: number): string {
  if (until === undefined || until <= now) return "";
  return kind === "model" ? ` That is in ${spanOf(until - now)}.` : ` It expires in ${spanOf(until - now)}.`;
}

function commandFor(runId: string, { kind, approvalId, callId }: Wait): string[] {
  switch (kind) {
    case "approval":
      return approvalId === undefined ? [] : [`${SELF} approvals show ${approvalId}  # look at it, then approve or deny`];
    case "answer":
      return callId === undefined ? [] : [`${SELF} runs answer ${runId} "your answer" --call ${callId}`];
    case "worker":
      return [`${SELF} doctor  # which workers are alive`, `${SELF} tools list`];
    case "agent":
    case "approvals":
      return [`${SELF} doctor  # what is down`];
    case "tool":
    case "model":
    case "turn":
    case "calls":
      return [`${SELF} runs watch ${runId}`];
  }
}

/** Returns how to fix the cause of an error code, if a command or a setting helps. */
function remedies(code: string, { profile = "its profile" }: RunView): string[] {
  switch (code) {
    case "time_limit":
      return [`# raise limits.activeSeconds of the profile "${profile}", if its model or its tools are slow`];
    case "round_limit":
      return [`# raise limits.rounds of the profile "${profile}", or ask for less at once`];
    case "step_failed":
    case "poison_run":
      return [`${SELF} doctor  # the agent's log has the reason`];
    case "budget_exhausted":
      return ["# wait until the budget opens, or raise it"];
    default:
      return OF_THE_MODEL.test(code)
        ? [`${SELF} doctor  # if this shell has the agent's LLM_* settings, it asks the model's provider`]
        : [];
  }
}

/** The codes of runs that failed because of their model (docs/models.md). */
const OF_THE_MODEL = /^(?:provider_|model_|rate_limited|unauthenticated|authentication_failed|network_failed|answer_stalled|empty_reply)/;
