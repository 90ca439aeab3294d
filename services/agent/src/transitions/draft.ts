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
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { inTrace, wakeMessage } from "../outgoing/messages.ts";
import { LOG_KEPT_MS, PendingChange } from "./pending-change.ts";
import { heldMs, storedCall } from "./resolved-call.ts";
import { type Read, type Rules, timerIds } from "./rules.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The change that a transition makes, while it is being made: values are replaced in here, nothing outside changes, and `build` returns the one commit.
 * Things that change together (a call's state, its timer, its message, its event) are one function, in `dispatch-call.ts`, `request-grant.ts`, `end-call.ts` and
 * `end-run.ts`, so that no transition can forget a part.
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
    // The run is the first guard: it keeps the op.
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

  /** Active time so far. Not counted: time that people take, time without a living worker, and time in which every process was dead. */
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

  /** Another run of the conversation in its new state: one that has to wait, or the one that starts next, which is woken. */
  otherRun(read: Read<Run>, value: Run, events: readonly RunEvent[] = []): Run {
    const run = this.#say(value, events);
    const key = keys.run(run.runId);
    this.#pending.guard(key, read.version);
    this.#pending.put(key, run);
    this.#pending.timer(timerIds.run(run.runId), this.rules.config.POLL_MS);
    if (run.status === "ready") this.send(wakeMessage(run, this.rules, this.now, `${run.epoch}.next`));
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

  /** Updates the call's notes; its timer stays. */
  noteCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#put(call);
  }

  /** Keeps a call that has ended as it is stored from now on. */
  endedCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#put(storedCall(call));
  }

  /** The part of a call's long result that the model is shown. */
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

  /** Marks a call that must not begin any more: the worker's begin and first send guard its absence. */
  stop(call: Call, reason: string): void {
    this.#pending.put(keys.stop(call.callId), { callId: call.callId, at: this.now, reason }, this.now + LOG_KEPT_MS);
  }

  /** Puts the conversation's own data into working memory, from now on. */
  remember(key: string, value: object): void {
    this.#pending.put(key, value, this.now + this.rules.config.WORKING_MEMORY_TTL_MS);
    if (this.conversation.workingMemory !== true) this.conversation = { ...this.conversation, workingMemory: true };
  }

  send(made: Message): void {
    // Whatever caused it, a message of a run belongs to the trace of the run.
    this.#pending.send(inTrace(made, this.run.traceparent));
  }

  /**
   * The one commit of this transition. Its op is unique: two processes that decide the same transition at the same moment make two changes (another model's
   * reply, another secret), and the store must not take the second for a repeat of the first and answer "ok" to a change that it did not make.
   */
  build(op: string): Change {
    const { runId, conversationId } = this.run;
    const ended = this.run.endedAt !== null;
    const expiresAt = this.now + LOG_KEPT_MS;
    this.#pending.put(keys.run(runId), this.run, ended ? this.now + this.rules.config.FINISHED_RUN_MS : undefined);
    if (this.conversation !== this.#conversationRead.value || this.#conversationRead.version === 0) {
      const key = keys.conversation(conversationId);
      this.#pending.guard(key, this.#conversationRead.version);
      // Kept as long as its transcript: from its last run on, and renewed by the next.
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
