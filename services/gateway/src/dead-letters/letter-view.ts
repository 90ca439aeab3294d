import { attributes, type DeadLetterSummary, type DeadLetterView, type LetterState } from "@toolbus/contracts";
import { redacted } from "@toolbus/telemetry";
import type { FoundLetter } from "./find-letter.ts";

export function stateOf({ letter, request, dismissal }: Pick<FoundLetter, "letter" | "request" | "dismissal">): LetterState {
  if (letter.replayed) return "replayed";
  if (request) return "replaying";
  return dismissal ? "dismissed" : "open";
}

export function letterSummary(found: FoundLetter): DeadLetterSummary {
  return redacted(plainSummary(found));
}

/** Returns the view of a dead letter. `whyNot` says why a replay could do nothing now. */
export function letterView(found: FoundLetter, whyNot?: string): DeadLetterView {
  const { letter, request, dismissal } = found;
  const { replayBy, replayed, history, message, cut } = letter;
  return redacted({
    ...plainSummary(found),
    history,
    message: { ...message, attributes: shown(message.attributes) },
    cut,
    replayBy: replayBy.kind,
    ...(whyNot === undefined ? {} : { whyNot }),
    ...(dismissal ? { dismissed: { by: dismissal.by, at: dismissal.at } } : {}),
    ...(replayed || request
      ? {
          replay: {
            by: replayed?.by ?? request?.by ?? "",
            ...(request ? { askedAt: request.askedAt } : {}),
            ...(replayed ? { at: replayed.at, messageId: replayed.messageId } : {}),
          },
        }
      : {}),
  });
}

function plainSummary(found: FoundLetter): DeadLetterSummary {
  const { letterId, queue, reason, deliveries, message, runId, callId, former, keptAt, expiresAt } = found.letter;
  return {
    id: letterId,
    queue,
    state: stateOf(found),
    reason,
    deliveries,
    messageId: message.id,
    messageType: message.type,
    ...(runId === undefined ? {} : { runId }),
    ...(callId === undefined ? {} : { callId }),
    ...(former === undefined ? {} : { former }),
    keptAt,
    expiresAt,
    links: {
      self: `/v1/dead-letters/${letterId}`,
      replay: `/v1/dead-letters/${letterId}/replay`,
      dismiss: `/v1/dead-letters/${letterId}/dismiss`,
    },
  };
}

/** These attributes are not shown, because anybody who knows the hash of a call's secret could answer the call. */
const PROOFS: readonly string[] = [attributes.secretHash, attributes.receipt];

function shown(named: FoundLetter["letter"]["message"]["attributes"]): FoundLetter["letter"]["message"]["attributes"] {
  return Object.fromEntries(Object.entries(named).filter(([name]) => !PROOFS.includes(name.toLowerCase())));
}
