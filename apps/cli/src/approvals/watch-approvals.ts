import { setTimeout as after } from "node:timers/promises";
import type { ApprovalPage, ApprovalView } from "@toolbus/contracts";
import { readApprovals } from "../http/answers.ts";
import { Answered, type Client, Unreachable } from "../http/client.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** A write that people were asked about, or the end of an approval. The names are those of the webhooks. */
export interface ApprovalEvent {
  readonly event: "approval.held" | "approval.ended";
  /** The store's time of the event. */
  readonly at: number;
  readonly approval: ApprovalView;
}

export interface WatchOptions {
  readonly tool?: string | undefined;
  readonly requester?: string | undefined;
  /** Whether to report also writes that ended without people. */
  readonly all?: boolean | undefined;
  /** Called once, at the start. Every later event is reported. */
  readonly onBegin: () => void;
  readonly onEvent: (event: ApprovalEvent) => void;
  /** Called once when the service stops answering, and once when it answers again. */
  readonly onLost: () => void;
  readonly onBack: () => void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

const EVERY_MS = 2000;
const LONGEST_PAUSE_MS = 10_000;
/**
 * The overlap of two consecutive polls of the list. A service reads the time of an event before it commits the event, so an earlier event may become
 * visible later.
 */
const OVERLAP_MS = 30_000;

/**
 * Reports new approvals and their ends as they happen, until the signal aborts. It requests the list repeatedly, and each time continues where it
 * stopped. So an outage of approvals of any length neither loses nor repeats an event. If an approval was held and ended between two requests, the
 * function reports only its end. Rejects with the client's Failure if the service was never reachable or refuses the request, and with the signal's
 * reason.
 */
export async function watchApprovals(service: Client, options: WatchOptions): Promise<never> {
  const { onBegin, onEvent, onLost, onBack, signal, all = false, everyMs = EVERY_MS } = options;
  const began = timeOf(await pageOf({ limit: "1" }));
  onBegin();
  const reported = new Map<string, number>();
  let looked = began;
  let failures = 0;
  for (;;) {
    await after(Math.min(everyMs * 2 ** failures, Math.max(everyMs, LONGEST_PAUSE_MS)), undefined, { signal }).catch(() =>
      signal.throwIfAborted(),
    );
    try {
      await look();
      if (failures > 0) onBack();
      failures = 0;
    } catch (error) {
      signal.throwIfAborted();
      const away = error instanceof Unreachable || (error instanceof Answered && (error.status >= 500 || error.status === 429));
      if (!away) throw error;
      if (failures === 0) onLost();
      failures = Math.min(failures + 1, 10);
    }
  }

  async function look(): Promise<void> {
    const since = Math.max(began, looked - OVERLAP_MS);
    const found: ApprovalView[] = [];
    let now = looked;
    let cursor: string | undefined;
    do {
      const page: ApprovalPage = await pageOf({ since: String(since), limit: "100", ...(cursor === undefined ? {} : { cursor }) });
      if (cursor === undefined) now = timeOf(page);
      found.push(...page.approvals);
      ({ cursor } = page);
    } while (cursor !== undefined);
    const events = found.flatMap(eventOf).filter(({ at }) => at >= began);
    for (const event of events.toSorted((one, other) => one.at - other.at)) {
      const { id, plan } = event.approval;
      // An approval whose target has changed is held once more, and ends once more. The key therefore contains the round of its plan.
      const key = `${event.event} ${id} ${plan?.drifted ? plan.round : ""}`;
      if (!reported.has(key)) onEvent(event);
      reported.set(key, event.at);
    }
    for (const [key, at] of reported) if (at < since) reported.delete(key);
    looked = now;
  }

  function eventOf(approval: ApprovalView): readonly ApprovalEvent[] {
    const { endedAt, requestedAt, expiresAt, plan } = approval;
    if (endedAt === null) return [{ event: "approval.held", at: plan?.drifted ? plan.at : requestedAt, approval }];
    // If the approval expired at the time of its request, nobody was asked.
    return all || expiresAt > requestedAt ? [{ event: "approval.ended", at: endedAt, approval }] : [];
  }

  async function pageOf(query: Readonly<Record<string, string>>): Promise<ApprovalPage> {
    const chosen = { tool: options.tool, requester: options.requester };
    const given = Object.entries(chosen).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const params = new URLSearchParams([["status", "all"], ...given, ...Object.entries(query)]);
    return readApprovals(await service.get(`/v1/approvals?${params.toString()}`));
  }
}

function timeOf({ now }: ApprovalPage): number {
  if (now !== undefined) return now;
  throw new Failure(EXIT.failed, "This approvals service is too old to be watched: use the toolbus that came with it, or update it.");
}
