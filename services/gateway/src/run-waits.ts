import {
  availabilityOf,
  type Call,
  type ConversationState,
  counted,
  goneSince,
  type OpenQuestion,
  type Registration,
  type Run,
  SEEN_EVERY_MS,
  type Wait,
} from "@toolbus/contracts";
import { approversOf } from "./approvers-of.ts";

/** The facts about an active run at one moment. */
export interface OpenRun {
  readonly now: number;
  readonly createdAt: number;
  /** The agent's document of the run. It is null until an agent has taken the run. */
  readonly run: Run | null;
  /** The open calls of the run. */
  readonly calls: readonly Call[];
  /** The questions that the tools of these calls ask now. */
  readonly asking: readonly OpenQuestion[];
  readonly conversation: ConversationState | null;
  /** The requester, and the principal behind the requester. Neither of them may decide what the run asks for. */
  readonly requesters: readonly string[];
  /** Returns the registration of a call's tool in the version that the run uses, or null if it no longer exists. */
  readonly registrationOf: (call: Call) => Registration | null;
}

/** Returns what the run waits for, in the order of its calls. A run that has ended waits for nothing. */
export function waitsOf(open: OpenRun): Wait[] {
  const { run, now, createdAt } = open;
  if (!run) return [{ kind: "agent", says: "No agent has taken the run yet.", since: createdAt }];
  if (run.endedAt !== null) return [];
  if (run.status === "queued") return [turnOf(run, open.conversation)];
  if (run.status === "ready") return [stepOf(run, now)];
  const waits = open.calls.toSorted((a, b) => a.index - b.index).map((call) => waitOf(call, open));
  return waits.length > 0 ? waits : [{ kind: "agent", says: "Its calls have ended; an agent continues it.", since: run.stepStartedAt }];
}

function turnOf({ runId, conversationId, createdAt }: Run, conversation: ConversationState | null): Wait {
  const before = conversation?.queue.findIndex((queued) => queued.runId === runId) ?? -1;
  const place = before < 0 ? {} : { position: before + 1 };
  const active = conversation?.activeRun ?? null;
  const others = before > 0 ? ` and ${counted(before, "run")} that ${before === 1 ? "was" : "were"} accepted before it` : "";
  const says =
    active === null
      ? `It waits for its turn in the conversation ${conversationId}.`
      : `It waits for its turn in the conversation: ${active}${others} come first.`;
  return { kind: "turn", says, ...place, since: createdAt };
}

function stepOf({ lease, notBefore, modelFailures, stepStartedAt }: Run, now: number): Wait {
  if (notBefore !== undefined && notBefore > now) {
    const failed = modelFailures ? ` after ${counted(modelFailures.count, "failure")}` : "";
    return { kind: "model", says: `The model is asked again${failed}.`, until: notBefore };
  }
  if (lease && lease.until > now) return { kind: "model", says: "An agent asks the model.", since: lease.since };
  return { kind: "agent", says: "It is ready for its next step, and no agent works on it.", since: stepStartedAt };
}

function waitOf(call: Call, { now, run, asking, requesters, registrationOf }: OpenRun): Wait {
  const { callId, toolName: tool, state, approvalId, approvalExpiresAt, askExpiresAt, heldSince, sentAt, grant } = call;
  const first = firstSentAt(call, run);
  const about = { callId, tool };
  switch (state) {
    case "held":
      return {
        kind: "approval",
        ...approversOf(call, requesters),
        ...about,
        ...(approvalId === undefined ? {} : { approvalId }),
        ...(heldSince === undefined ? {} : { since: heldSince }),
        ...(approvalExpiresAt === undefined ? {} : { until: approvalExpiresAt }),
      };
    case "asked":
      return {
        kind: "answer",
        says: "The model asks the person, and waits for the answer.",
        ...about,
        ...(heldSince === undefined ? {} : { since: heldSince }),
        ...(askExpiresAt === undefined ? {} : { until: askExpiresAt }),
      };
    case "requested":
      return { ...requestOf(call, registrationOf(call)), ...about, since: grant === undefined ? first : sentAt };
    case "dispatched": {
      const open = asking.find((one) => one.callId === callId);
      if (open) return { ...askedBy(open, tool), ...about };
      return {
        ...sentTo(call, { registration: registrationOf(call), now, first, cancelled: run !== null && run.cancel !== null }),
        ...about,
      };
    }
    case "queued":
    case "granted":
      return {
        kind: "calls",
        says: `${tool} waits for the calls before it: writes are done one after another.`,
        ...about,
        since: call.createdAt,
      };
    case "resolved":
      throw new Error(`${callId} is resolved: the run does not wait for it.`);
  }
}

function askedBy({ from, question }: OpenQuestion, tool: string): Wait {
  return {
    kind: "answer",
    says: `${tool} of ${from} asks the person, and waits for the answer.`,
    since: question.askedAt,
    until: question.expiresAt,
  };
}

/** Returns why a call waits for a grant. If it has an earlier one, approvals has answered before. */
function requestOf(
  { toolName, toolVersion, toolHash, dispatch, requests, grant }: Call,
  registration: Registration | null,
): Pick<Wait, "kind" | "says"> {
  const asked = `The approvals service was asked about ${toolName}${times(requests)}, and has not answered.`;
  if (grant === undefined) return { kind: "approvals", says: asked };
  if (dispatch > 0 && registration && registration.hash !== toolHash) {
    const changed = `The definition of ${toolName} was changed under version ${toolVersion} after this run began`;
    const next = "The approval is for the earlier one. If the workers refuse that one several times, the agent ends the call";
    return { kind: "worker", says: `${changed}. ${next}.` };
  }
  return {
    kind: "approvals",
    says: `${toolName} was approved, but its grant is stale. The agent asks the approvals service for a new one.`,
  };
}

/**
 * Returns when the call, or the request for its grant, was first sent. Each repeat changes `sentAt`, so a wait measured from it would never grow long.
 * A call is sent when it is created, or once people have decided. A write of a round with other writes may have waited for them first, and then only
 * the last time is known.
 */
function firstSentAt({ kind, createdAt, heldMs, sentAt }: Call, run: Run | null): number {
  const isAlone = (run?.calls ?? []).filter(({ write }) => write).length <= 1;
  return kind === "write" && !isAlone ? sentAt : Math.min(sentAt, createdAt + heldMs);
}

interface Sent {
  readonly registration: Registration | null;
  readonly now: number;
  readonly first: number;
  readonly cancelled: boolean;
}

function sentTo(call: Call, { registration, now, first, cancelled }: Sent): Wait {
  const { toolName, dispatch, ledger } = call;
  const noted = ledger ? { ledger } : {};
  if (!registration)
    return { kind: "worker", says: `No worker serves this version of ${toolName} any more.${inLedger(call)}`, ...noted, since: first };
  const { lastSeenAt, leftAt, unavailable } = registration;
  const since = goneSince(registration, now) ?? lastSeenAt;
  switch (availabilityOf(registration, now)) {
    case "asleep": {
      const how = since === leftAt ? "stopped" : "was seen";
      const says = `There is no worker for ${toolName}: the last one ${how} at ${timeOf(since)}.${inLedger(call)}`;
      return { kind: "worker", says, ...noted, since: Math.max(since, first) };
    }
    case "unavailable":
      return {
        kind: "worker",
        says: `The worker of ${toolName} cannot use it: ${(unavailable?.reason ?? "it does not say why").replace(/\.$/, "")}.${inLedger(call)}`,
        ...noted,
        since: Math.max(unavailable?.since ?? since, first),
      };
    case "ready": {
      if (!cancelled && isUnanswered(call, now)) {
        const says = `${toolName} was sent ${dispatch} times. A worker is alive and ${whyUnanswered(call)}.`;
        return { kind: "worker", says, since: first };
      }
      const what = cancelled ? "The run is cancelled and waits for the outcome of a sent call" : "It was sent to its worker";
      // A worker that died sends no heartbeat any more, which a reader sees here before it counts as gone.
      const seen =
        dispatch > 1 && !ledger
          ? ` No answer has come yet. A worker of it was last seen at ${timeOf(lastSeenAt)}, and a living one is seen every ${SEEN_EVERY_MS / 1000} s.`
          : "";
      return { kind: "tool", says: `${what}: ${toolName}${times(dispatch)}.${seen}${inLedger(call)}`, ...noted, since: first };
    }
  }
}

/**
 * Returns whether a living worker should have answered. A call that takes long is sent again meanwhile, and a write that has begun is in the ledger.
 */
function isUnanswered({ dispatch, ledger, createdAt, timeoutMs }: Call, now: number): boolean {
  return !ledger && dispatch >= UNANSWERED_DISPATCHES && now - createdAt > timeoutMs + ANSWERED_WITHIN_MS;
}

/** Returns what may be wrong. The agent drops the answer to a write if no key of the toolset signed it, and its documents do not say so. */
function whyUnanswered({ kind }: Call): string {
  if (kind !== "write") return "has not answered: it is busy or hangs, or its BUS_URL names another bus or namespace";
  return "has not answered, or its signature was refused: it is busy or hangs, its BUS_URL names another bus or namespace, or its RECEIPT_KEY_FILE is not the key of its toolset";
}

const UNANSWERED_DISPATCHES = 3;
/** How long an answer takes at most to reach the agent, after the tool has ended. */
const ANSWERED_WITHIN_MS = 30_000;

/** Returns what the worker's ledger says about a write, and so whether the write may have happened already. */
function inLedger({ ledger }: Call): string {
  if (!ledger) return "";
  const attempt = ledger.attempt > 1 ? `, attempt ${ledger.attempt}` : "";
  switch (ledger.state) {
    case "begun":
      return ` Its ledger: begun at ${timeOf(ledger.since)}${attempt}, nothing sent to the target yet.`;
    case "sending":
      return ` Its ledger: sent to the target at ${timeOf(ledger.since)}${attempt}; it may have happened, and no outcome is recorded yet.`;
    case "done":
      return ` Its ledger: done at ${timeOf(ledger.since)}; the agent takes the result from there.`;
  }
}

const times = (count: number): string => (count > 1 ? `, ${count} times` : "");
/** Returns a time of the store's clock, in UTC, because the reader's time zone is not known here. */
const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
