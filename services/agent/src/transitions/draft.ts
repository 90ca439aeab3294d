import {
  type Call,
  type ConversationState,
  keys,
  type Message,
  type Run,
  type RunEvent,
  shardOf,
  type ShownResult,
  type StoredEntry,
  topics,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { inTrace, wakeId, wakeMessage } from "../outgoing/messages.ts";
import { LOG_KEPT_MS, PendingChange } from "./pending-change.ts";
import { heldMs, storedCall } from "./resolved-call.ts";
import { type Read, type Rules, timerIds } from "./rules.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The change of a transition while it is being made. A transition replaces values in the draft, and nothing outside the draft changes. `build`
 * returns the one commit. Some things must change together: a call's state, its timer, its message and its event. One function makes all of these
 * changes, so that no transition can forget one. These functions are in `dispatch-call.ts`, `request-grant.ts`, `end-call.ts` and `end-run.ts`.
 */
export class Draft {
  readonly now: number;
  readonly rules: Rules;
  run: Run;
  conversation: ConversationState;
  /** The run that starts when this one ends. */
  next: Read<Run> | null;
  readonly calls = new Map<string, Call>();
  readonly #conversationRead: Read<ConversationState>;
  readonly #shown: ReadonlyMap<string, ShownResult>;
  readonly #pending = new PendingChange();

  constructor(snapshot: Snapshot, rules: Rules) {
    this.now = snapshot.now;
    this.rules = rules;
    this.run = snapshot.run.value;
    this.conversation = snapshot.conversation.value;
    this.#conversationRead = snapshot.conversation;
    this.next = snapshot.next;
    this.#shown = snapshot.shown ?? new Map();
    // The run is the first guard, so the store remembers the op of the change at the run.
    this.#pending.guard(keys.run(this.run.runId), snapshot.run.version);
    for (const { version, value } of snapshot.calls) {
      this.calls.set(value.callId, value);
      this.#pending.guard(keys.call(value.callId), version);
    }
  }

  get profile() {
    return this.rules.profile(this.run.profile);
  }

  get open(): Call[] {
    return this.inOrder.filter((call) => call.state !== "resolved");
  }

  get inOrder(): Call[] {
    return [...this.calls.values()].toSorted((a, b) => a.index - b.index);
  }

  /**
   * The active time so far, in milliseconds. It excludes the time that people take, the time without a living worker, and the time in which every
   * process was dead.
   */
  get activeMs(): number {
    const { activeMs, stepStartedAt } = this.run;
    const held = Math.max(0, ...this.inOrder.map((call) => heldMs(call, this.now)));
    return activeMs + Math.max(0, this.now - Math.max(stepStartedAt, this.rules.ownersDeadBefore) - held);
  }

  setRun(part: Partial<Run>): void {
    this.run = { ...this.run, ...part };
  }

  event(...events: readonly RunEvent[]): void {
    this.run = this.#say(this.run, events);
  }

  transcript(...entries: StoredEntry[]): void {
    this.#pending.transcript(entries);
  }

  runTimer(dueIn: number | null): void {
    this.#pending.timer(timerIds.run(this.run.runId), dueIn);
  }

  /** Puts another run of the conversation into its new state. The run has to wait, or it starts next and is woken. */
  otherRun(read: Read<Run>, value: Run, events: readonly RunEvent[] = []): Run {
    const run = this.#say(value, events);
    const key = keys.run(run.runId);
    this.#pending.guard(key, read.version);
    this.#pending.put(key, run);
    this.#pending.timer(timerIds.run(run.runId), this.rules.config.POLL_MS);
    if (run.status === "ready") this.wake(run, `${run.epoch}.next`);
    return run;
  }

  /** Adds a call that this turn makes. */
  addCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#pending.guard(keys.call(call.callId), 0);
    this.#put(call);
  }

  setCall(call: Call, dueIn: number): void {
    this.calls.set(call.callId, call);
    this.#put(call);
    this.callTimer(call.callId, dueIn);
  }

  /** Updates the call and leaves its timer unchanged. */
  noteCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#put(call);
  }

  /** Stores a call that has ended, in the form in which it is kept from now on. */
  endedCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#put(storedCall(call));
  }

  /** Returns the part of a call's long result that the model sees. */
  shownOf(callId: string): ShownResult | undefined {
    return this.#shown.get(callId);
  }

  /** Makes the timer of an open call due within this time, unless this change already makes it due earlier. */
  callTimerWithin(callId: string, dueIn: number): void {
    const due = this.#pending.dueIn(timerIds.call(callId));
    if (due !== null && (due === undefined || due > dueIn)) this.callTimer(callId, dueIn);
  }

  callTimer(callId: string, dueIn: number | null): void {
    this.#pending.timer(timerIds.call(callId), dueIn);
  }

  /** Puts the stop of a call that must not begin any more. The worker's begin and its first send are guarded by the absence of this document. */
  stop(call: Call, reason: string): void {
    this.#pending.put(keys.stop(call.callId), { callId: call.callId, at: this.now, reason }, this.now + LOG_KEPT_MS);
  }

  /** Stores data in the conversation's working memory. The time to live begins now. */
  remember(key: string, value: object): void {
    this.#pending.put(key, value, this.now + this.rules.config.WORKING_MEMORY_TTL_MS);
    if (this.conversation.workingMemory !== true) this.conversation = { ...this.conversation, workingMemory: true };
  }

  send(made: Message): void {
    // A message of a run belongs to the trace of the run, whatever caused the message.
    this.#pending.send(inTrace(made, this.run.traceparent));
  }

  /** Wakes any agent for a run. `n` distinguishes the wakes of the run. */
  wake(run: Run, n: string): void {
    const { rules, now } = this;
    const { traceparent } = this.run;
    this.#pending.sendLater(wakeId(run.runId, n), topics.runWake, () => inTrace(wakeMessage(run, rules, now, n), traceparent));
  }

  /**
   * Returns the one commit of this transition. Its op is unique. Two processes that decide the same transition at the same moment make different
   * changes: the reply of the model or the secret differs. If both changes had the same op, the store would take the second one for a repeat of the
   * first. It would then answer "ok" to a change that it did not make.
   */
  build(op: string): Change {
    const { runId, conversationId } = this.run;
    const ended = this.run.endedAt !== null;
    const expiresAt = this.now + LOG_KEPT_MS;
    this.#pending.put(keys.run(runId), this.run, ended ? this.now + this.rules.config.FINISHED_RUN_MS : undefined);
    if (this.conversation !== this.#conversationRead.value || this.#conversationRead.version === 0) {
      const key = keys.conversation(conversationId);
      this.#pending.guard(key, this.#conversationRead.version);
      // A conversation is kept as long as its transcript. The time to live begins when the last run ends, and the next run renews it.
      this.#pending.put(key, this.conversation, this.conversation.activeRun === null ? expiresAt : undefined);
    }
    return this.#pending.build(`${op}:${this.rules.newNonce()}`, conversationId, expiresAt);
  }

  get shard(): string {
    return shardOf(this.run.runId);
  }

  #say(run: Run, events: readonly RunEvent[]): Run {
    this.#pending.say(run.runId, events);
    return { ...run, events: run.events + events.length };
  }

  #put(call: Call): void {
    this.#pending.put(keys.call(call.callId), call, call.state === "resolved" ? this.now + LOG_KEPT_MS : undefined);
  }
}
