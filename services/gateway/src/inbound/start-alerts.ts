import { type Alert, type AlertmanagerMessage, cutText, keys, parseRunOrigin, type SentAlert } from "@toolbus/contracts";
import type { Principal, RateLimit } from "@toolbus/runtime";
import { attributeNames, currentTraceparent, spanNames, withSpan } from "@toolbus/telemetry";
import { isRefused, type Refused } from "../refused.ts";
import type { Starting } from "./inbound.ts";
import { type Subject, subjectOf } from "./investigation-subject.ts";
import { requestHash } from "./request-hash.ts";
import { idsOf, type Known, startSubject } from "./start-investigation.ts";

const ROUTE = "POST /v1/triggers/alertmanager";

/** How many runs one message starts; the sender gets that the others wait, and sends them again. */
export const MOST_STARTED = 50;

/** The outcome for one alert of a message. */
export type AlertOutcome =
  | { readonly kind: "started" | "repeated"; readonly runId: string }
  /** It is resolved. */
  | { readonly kind: "ignored" }
  /** For room: the same message has to come again. */
  | { readonly kind: "waits"; readonly says: string; readonly retryAfterS: number }
  /** For good. */
  | Refused;

type Waits = Extract<AlertOutcome, { kind: "waits" }>;

export interface AlertsSent {
  readonly principal: Principal;
  readonly message: AlertmanagerMessage;
  /** The rate limit of which each started run uses one; null for no limit. */
  readonly rate: Pick<RateLimit, "take" | "words"> | null;
}

/**
 * Starts an investigation of each firing alert, one for its group, its fingerprint and its start. An alert that Alertmanager sends again, because it still
 * fires or because an answer was lost, starts nothing; an alert that fires again does. The outcomes are in the order of the alerts. If there is no room for
 * all, the rest waits, and the runs of the others stay: the same message continues where this one stopped. Throws `StoreUnavailable`.
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
      // Only room can be missing for an alert that was prepared above. If the store changes in the meantime, the next try may succeed.
      if (isRefused(reply)) return waits(reply.detail, reply.retryAfterS ?? 1);
      span.set({ [attributeNames.conversationId]: conversationId, [attributeNames.runId]: reply.runId });
      return { kind: reply.replayed ? "repeated" : "started", runId: reply.runId };
    });
  }
}

/** An alert, its identity, and the ids that follow from that. */
interface Named extends ReturnType<typeof idsOf> {
  readonly alert: SentAlert;
  readonly known: Known;
}

const waits = (says: string, retryAfterS: number): Waits => ({ kind: "waits", says, retryAfterS });

/** Its texts are not part of its identity: an annotation may hold a current value. */
function knownAs({ groupKey }: AlertmanagerMessage, { fingerprint, startsAt }: SentAlert): Known {
  const what = [groupKey, fingerprint, Date.parse(startsAt)];
  return { route: ROUTE, name: JSON.stringify(what), hash: requestHash(what) };
}

/** Those of the runs that have been started, by this message or by an earlier one. */
async function begunAmong({ state }: Starting, runs: readonly string[]): Promise<Set<string>> {
  const begun = new Set<string>();
  for (let from = 0; from < runs.length; from += READ) {
    const some = runs.slice(from, from + READ);
    const { documents } = await state.read(some.map((runId) => keys.runOrigin(runId)));
    for (const [n, runId] of some.entries()) if (parseRunOrigin(documents[n]?.value).ok) begun.add(runId);
  }
  return begun;
}

/** The alert with its full texts, or truncated as far as necessary: an investigation that lacks the end of a text is better than none. */
function fitting(alert: SentAlert): Subject | Refused {
  let subject = subjectOf({ alert: alertOf(alert, WIDTHS[0]) });
  for (const width of WIDTHS.slice(1)) if (subject.kind === "refused") subject = subjectOf({ alert: alertOf(alert, width) });
  return subject;
}

/** In the form of `POST /v1/investigations`. While it fires it has no end, only the zero value of its sender's language. */
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
/** In characters of one text. */
const WIDTHS = [2000, 300, 60] as const;
