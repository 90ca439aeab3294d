import type { ConversationState, MessageEntry, Run, ToolRights } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { isDirectCall, taintOfClient } from "../direct-call/direct-call.ts";
import { noteOf } from "../best-services.ts";
import { emptyReport, type Profile } from "../profile.ts";
import { profileHash } from "../profiles/profile-hash.ts";
import type { ToolOffer } from "../tool-offer.ts";
import { NOTHING_USED } from "../usage.ts";
import { cancelInto } from "./cancel.ts";
import { isFull, newConversation, withQueued } from "./conversation.ts";
import { Draft } from "./draft.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Stopped } from "./end.ts";
import type { Read, Rules } from "./rules.ts";
import { seedPlan } from "./seed.ts";
import { startedEvent } from "./started.ts";
import { joinedTaint } from "./taint.ts";
import { faultOf } from "./unusable-entry.ts";
import { endRun } from "./end-run.ts";

export interface StartInput {
  readonly now: number;
  readonly entry: MessageEntry;
  /** The number of the commit that accepted the entry. */
  readonly accepted: number;
  /** Null if this is the conversation's first run. */
  readonly conversation: Read<ConversationState> | null;
  /** The rights of the message's sender. Null if the sender is unknown. */
  readonly rights: ToolRights | null;
  /** Undefined if this agent does not know the entry's profile. */
  readonly profile: Profile | undefined;
  /** The tools that the run gets from the current registry, and keeps. Null if the profile or the sender is unknown. */
  readonly offer: ToolOffer | null;
  /** For a message that interrupts: the conversation's active run and the sender of the message. Null for any other message. */
  readonly interrupts: { readonly active: Snapshot; readonly by: string } | null;
}

/**
 * Starts a run from its inbox entry. The run is ready if its conversation is free. Otherwise the entry decides what happens. The run waits, it ends
 * at once, or it is first in the queue and the same commit cancels the active run. The run of an unusable entry ends at once and says why. The commit
 * guards the conversation, so two messages cannot both find it free.
 */
export function startRun(input: StartInput, rules: Rules): Change {
  const { entry } = input;
  const conversation = input.conversation ?? { version: 0, value: newConversation(entry.conversationId) };
  const { activeRun } = conversation.value;
  const fault =
    conversation.value.deletedAt !== undefined
      ? DELETED
      : input.rights
        ? faultOf(entry, newRun(input, conversation.value.runs + 1), rules)
        : NOBODY;
  if (fault) return refused(input, conversation, fault, rules);
  if (activeRun === null) return ready(input, conversation, rules);
  if (entry.ifActive === "reject")
    return refused(
      input,
      conversation,
      {
        code: "conversation_busy",
        message: `The run ${activeRun} is active in this conversation, and this message must not wait for it.`,
      },
      rules,
    );
  if (isFull(conversation.value))
    return refused(
      input,
      conversation,
      {
        code: "queue_full",
        message: `The conversation has ${conversation.value.queue.length} messages waiting; send this one again when some are done.`,
      },
      rules,
    );
  return queued(input, conversation, activeRun, rules);
}

const NOBODY: Stopped = {
  code: "origin_unknown",
  message: "No request of a person stands behind this run, so it was not begun: send the message again.",
};

const DELETED: Stopped = {
  code: "conversation_deleted",
  message: "The conversation was deleted before this run began, so it was not begun: send the message in another conversation.",
};

function ready(input: StartInput, conversation: Read<ConversationState>, rules: Rules): Change {
  const { now, entry } = input;
  const { runs } = conversation.value;
  const started = newRun(input, runs + 1);
  const draft = draftOf(
    input,
    conversation,
    { ...started, ...joinedTaint(conversation.value.taint, taintOfClient(input.profile, started)) },
    rules,
  );
  draft.transcript({ type: "user", runId: entry.runId, ...messageOf(input) });
  draft.conversation = { ...conversation.value, activeRun: entry.runId, runs: runs + 1 };
  draft.wake(draft.run, "start");
  draft.runTimer(rules.config.POLL_MS);
  draft.event(startedEvent({ ...draft.run, ...choiceOf(input) }, rules, now));
  return draft.build(opOf(entry));
}

/**
 * Queues a run. The run keeps its message until it starts. In the transcript, the message would be between the calls of the active run and their
 * results.
 */
function queued(input: StartInput, conversation: Read<ConversationState>, activeRun: string, rules: Rules): Change {
  const { now, entry, accepted } = input;
  const run: Run = {
    ...newRun(input, conversation.value.runs + 1),
    status: "queued",
    startedAt: null,
    message: messageOf(input),
    ...choiceOf(input),
  };
  const interrupts = entry.ifActive === "interrupt";
  const after = withQueued(conversation.value, { runId: entry.runId, accepted, interrupts });
  const position = 1 + after.queue.findIndex(({ runId }) => runId === entry.runId);
  const waits = { type: "run.queued", at: now, behind: activeRun, position } as const;
  const active = input.interrupts?.active;
  // A message does not interrupt the run of a later message, and a run is cancelled only once.
  if (input.interrupts && active && active.run.value.accepted < accepted && !active.run.value.cancel) {
    const draft = new Draft(active, rules);
    draft.conversation = after;
    draft.next = { version: 0, value: draft.otherRun({ version: 0, value: run }, run, [waits]) };
    cancelInto(draft, { entryId: entry.entryId, by: input.interrupts.by });
    return draft.build(opOf(entry));
  }
  const draft = draftOf(input, conversation, run, rules);
  draft.conversation = after;
  draft.runTimer(rules.config.POLL_MS);
  draft.event(waits);
  return draft.build(opOf(entry));
}

/** Records the run of a refused entry. The run ends before it begins, and says why. */
function refused(input: StartInput, conversation: Read<ConversationState>, { code, message }: Stopped, rules: Rules): Change {
  const { now, entry } = input;
  const run = newRun(input, conversation.value.runs + 1);
  const draft = draftOf(input, conversation, { ...run, input: {}, tools: [], startedAt: null }, rules);
  draft.conversation = { ...conversation.value, runs: conversation.value.runs + 1 };
  const { report, usage } = draft.run;
  endRun(draft, { type: "run.failed", at: now, code, message, report, usage }, "failed", { text: message, code });
  return draft.build(opOf(entry));
}

function draftOf({ now }: StartInput, conversation: Read<ConversationState>, run: Run, rules: Rules): Draft {
  return new Draft({ now, run: { version: 0, value: run }, conversation, calls: [], next: null }, rules);
}

/** Returns the person's message with the agent's note about the services that match it best. */
function messageOf({ entry, offer }: StartInput): NonNullable<Run["message"]> {
  const note = offer?.choice && noteOf(offer.choice, offer.tools.length);
  return { text: entry.text, at: entry.acceptedAt, ...(note === undefined ? {} : { note }) };
}

function choiceOf({ offer }: StartInput): Pick<Run, "choice"> {
  return offer?.choice ? { choice: offer.choice } : {};
}

const opOf = (entry: MessageEntry): string => `start:${entry.runId}`;

function newRun({ now, entry, accepted, rights, profile, offer }: StartInput, ordinal: number): Run {
  return {
    runId: entry.runId,
    conversationId: entry.conversationId,
    agent: entry.agent,
    profile: entry.profile,
    ...(profile ? { profileHash: profileHash(profile) } : {}),
    input: entry.input,
    message: null,
    ordinal,
    accepted,
    ...(entry.traceparent === undefined ? {} : { traceparent: entry.traceparent }),
    status: "ready",
    tools: [...(offer?.tools ?? [])],
    ...(rights ? { rights: { scopes: [...rights.scopes], ...(rights.tools ? { tools: [...rights.tools] } : {}) } } : {}),
    registryVersion: offer?.registryVersion ?? "",
    round: profile && hasSeedRound(profile, { input: entry.input, tools: offer?.tools ?? [], ordinal }) ? 0 : 1,
    epoch: 0,
    lease: null,
    attempts: 0,
    activeMs: 0,
    stepStartedAt: now,
    pending: 0,
    events: 0,
    calls: [],
    cancel: null,
    repeats: { key: "", count: 0 },
    fruitless: 0,
    usage: NOTHING_USED,
    createdAt: entry.acceptedAt,
    startedAt: now,
    endedAt: null,
    ending: null,
    report: profile?.report ? emptyReport(profile.report, entry.input) : null,
  };
}

function hasSeedRound(profile: Profile, run: Parameters<typeof seedPlan>[1]): boolean {
  return isDirectCall(profile) || seedPlan(profile, run).calls.length > 0;
}
