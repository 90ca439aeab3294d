import { type Alert, type AlertmanagerMessage, cutText, keys, parseRunOrigin, type SentAlert } from "@toolbus/contracts";
import type { Principal, RateLimit } from "@toolbus/runtime";
import { attributeNames, currentTraceparent, spanNames, withSpan } from "@toolbus/telemetry";
import { isRefused, type Refused } from "../refused.ts";
import type { Starting } from "./inbound.ts";
import { type Subject, subjectOf } from "./investigation-subject.ts";
import { requestHash } from "./request-hash.ts";
import { idsOf, type Known, startSubject } from "./start-investigation.ts";

const ROUTE = "POST /v1/triggers/alertmanager";

/** The most runs that one message of Alertmanager starts. The answer says that the other alerts wait, so the sender sends them again. */
export const MOST_STARTED = 50;

/** The outcome for one alert of a message. */
export type AlertOutcome =
  | { readonly kind: "started" | "repeated"; readonly runId: string }
  /** The alert is resolved. */
  | { readonly kind: "ignored" }
  /** There is no room for a run now. The sender has to send the same message again. */
  | { readonly kind: "waits"; readonly says: string; readonly retryAfterS: number }
  /** The alert is refused permanently. */
  | Refused;

type Waits = Extract<AlertOutcome, { kind: "waits" }>;

export interface AlertsSent {
  readonly principal: Principal;
  readonly message: AlertmanagerMessage;
  /** The rate limit that each started run uses once. Null means no limit. */
  readonly rate: Pick<RateLimit, "take" | "words"> | null;
}

/**
 * Starts an investigation of each firing alert, one for each combination of group, fingerprint and start. A repeat of an alert starts no run.
 * Alertmanager repeats an alert while it fires, or after an answer was lost. An alert that fires again later starts a new run. The outcomes are in
 * the order of the alerts. If there is no room for all alerts, the rest wait, and the same message starts them later. Throws `StoreUnavailable`.
 */
export async function startAlerts(inbound: Starting, { principal, message, rate }: AlertsSent): Promise<readonly AlertOutcome[]> {
  const named = message.alerts.map((alert): Named => {
    const known = knownAs(message, alert);
    return { alert, known, ...idsOf(inbound, principal, known) };
  });
  const begun = await begunAmong(
    inbound,
    named.map(({ runId }) => runId),
  );
  const outcomes: AlertOutcome[] = [];
  let started = 0;
  let full: Waits | null = null;
  for (const one of named) {
    const outcome = await outcomeOf(one);
    if (outcome.kind === "started") {
      begun.add(outcome.runId);
      started++;
    }
    if (outcome.kind === "waits") full ??= outcome;
    outcomes.push(outcome);
  }
  return outcomes;

  async function outcomeOf(one: Named): Promise<AlertOutcome> {
    const { alert, runId } = one;
    if (alert.status === "resolved") return { kind: "ignored" };
    if (begun.has(runId)) return { kind: "repeated", runId };
    if (full) return full;
    if (started === MOST_STARTED) return waits(`One message starts ${MOST_STARTED} runs at most.`, 1);
    const subject = fitting(alert);
    if (subject.kind === "refused") return subject;
    const taken = await rate?.take(principal);
    if (taken && !taken.granted)
      return waits(`This principal may ${rate?.words ?? ""} a minute.`, Math.max(1, Math.ceil(taken.resetMs / 1000)));
    return begin(subject, one);
  }

  async function begin(subject: Subject, { known, conversationId }: Named): Promise<AlertOutcome> {
    return withSpan(spanNames.conversation, {}, async (span) => {
      const reply = await startSubject(inbound, { principal, subject, known, traceparent: currentTraceparent() });
      // The checks above have accepted the alert, so only a lack of room can refuse it here. If the store changes in the meantime, the next attempt
      // may succeed.
      if (isRefused(reply)) return waits(reply.detail, reply.retryAfterS ?? 1);
      span.set({ [attributeNames.conversationId]: conversationId, [attributeNames.runId]: reply.runId });
      return { kind: reply.replayed ? "repeated" : "started", runId: reply.runId };
    });
  }
}

/** An alert, its identity, and the ids that follow from the identity. */
interface Named extends ReturnType<typeof idsOf> {
  readonly alert: SentAlert;
  readonly known: Known;
}

const waits = (says: string, retryAfterS: number): Waits => ({ kind: "waits", says, retryAfterS });

/** Returns the identity of an alert. The alert's texts are not part of the identity, because an annotation may contain a current value. */
function knownAs({ groupKey }: AlertmanagerMessage, { fingerprint, startsAt }: SentAlert): Known {
  const what = [groupKey, fingerprint, Date.parse(startsAt)];
  return { route: ROUTE, name: JSON.stringify(what), hash: requestHash(what) };
}

/** Returns the runs among these that this message or an earlier one has started. */
async function begunAmong({ state }: Starting, runs: readonly string[]): Promise<Set<string>> {
  const begun = new Set<string>();
  for (let from = 0; from < runs.length; from += READ) {
    const some = runs.slice(from, from + READ);
    const { documents } = await state.read(some.map((runId) => keys.runOrigin(runId)));
    for (const [n, runId] of some.entries()) if (parseRunOrigin(documents[n]?.value).ok) begun.add(runId);
  }
  return begun;
}

/**
 * Returns the alert with its full texts, or truncates them as far as necessary. An investigation that lacks the end of a text is better than none.
 */
function fitting(alert: SentAlert): Subject | Refused {
  let subject = subjectOf({ alert: alertOf(alert, WIDTHS[0]) });
  for (const width of WIDTHS.slice(1)) if (subject.kind === "refused") subject = subjectOf({ alert: alertOf(alert, width) });
  return subject;
}

/**
 * Returns an alert in the form of `POST /v1/investigations`, without its end time. While an alert fires, its end time is the zero value of a Go time.
 */
function alertOf({ status, labels, annotations, startsAt, generatorURL, fingerprint }: SentAlert, width: number): Alert {
  const cut = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, cutText(text, width)]));
  return {
    labels: cut(labels),
    ...(annotations === undefined ? {} : { annotations: cut(annotations) }),
    status,
    startsAt,
    ...(generatorURL === undefined ? {} : { generatorURL: cutText(generatorURL, width) }),
    fingerprint,
  };
}

const READ = 100;
/** The lengths to which each text is truncated, in characters. */
const WIDTHS = [2000, 300, 60] as const;
