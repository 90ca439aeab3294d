import { type ConversationState, MAX_CALLED_TOOLS, MAX_QUEUED_RUNS, type QueuedRun, type Run } from "@toolbus/contracts";
import { addUsage, NOTHING_USED } from "../usage.ts";
import { joinedTaint } from "./taint.ts";

export function newConversation(conversationId: string): ConversationState {
  return { conversationId, activeRun: null, queue: [], runs: 0, usage: NOTHING_USED, model: null };
}

export const isFull = ({ queue }: ConversationState): boolean => queue.length >= MAX_QUEUED_RUNS;

/**
 * Returns the conversation with one more waiting run. The order depends only on when the messages were accepted. Runs that interrupt come first, and
 * among them the latest one is first. The other runs follow in the order of their messages.
 */
export function withQueued(conversation: ConversationState, run: QueuedRun): ConversationState {
  return { ...conversation, queue: [...conversation.queue, run].toSorted(inOrder), runs: conversation.runs + 1 };
}

/** Returns the conversation after one of its runs has ended. Its usage includes the ended run. If the ended run was active, `next` is active now. */
export function afterRun(conversation: ConversationState, ended: Run, next: Run | null): ConversationState {
  const usage = addUsage(conversation.usage, ended.usage);
  const taint = joinedTaint(conversation.taint, ended.taint);
  const without = (runId: string | undefined): QueuedRun[] => conversation.queue.filter((queued) => queued.runId !== runId);
  if (conversation.activeRun !== ended.runId) return { ...conversation, ...taint, usage, queue: without(ended.runId) };
  return { ...conversation, ...taint, usage, activeRun: next?.runId ?? null, queue: without(next?.runId) };
}

/**
 * Returns the conversation with the model of its last turn. Returns the same object if nothing changed, so that the agent does not write it in every
 * turn.
 */
export function withModel(conversation: ConversationState, model: NonNullable<ConversationState["model"]>): ConversationState {
  const before = conversation.model;
  return before?.provider === model.provider && before.model === model.model ? conversation : { ...conversation, model };
}

/**
 * Returns the conversation with the registered tools that a turn called, so that later runs are offered them again. Returns the same object if
 * all of them are among the last ones, so that the agent does not write it in every turn.
 */
export function withCalled(conversation: ConversationState, names: readonly string[]): ConversationState {
  const before = conversation.called ?? [];
  const recent = before.slice(0, MAX_CALLED_TOOLS / 2);
  if (names.every((name) => recent.includes(name))) return conversation;
  return { ...conversation, called: [...new Set([...names, ...before])].slice(0, MAX_CALLED_TOOLS) };
}

function inOrder(a: QueuedRun, b: QueuedRun): number {
  if (a.interrupts !== b.interrupts) return a.interrupts ? -1 : 1;
  return a.interrupts ? b.accepted - a.accepted : a.accepted - b.accepted;
}
