import {
  type Call,
  type ConversationState,
  EVENT_CONTENT_CHARS,
  type Json,
  keys,
  type Message,
  type Run,
  type RunEnd,
  type RunEvent,
  shardOf,
  type ToolResult,
  type TranscriptEntry,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { reportAfterRound } from "../investigation/report.ts";
import { approvalCancelMessage, approvalRequestMessage, invokeMessage, wakeMessage } from "./messages.ts";
import { AGENT_SERVICE, type Read, type Rules, timerIds } from "./rules.ts";

/** Everything of a run that one commit may change, as it was read at one moment. */
export interface Snapshot {
  readonly now: number;
  readonly run: Read<Run>;
  readonly conversation: Read<ConversationState>;
  /** The calls of the current round, in index order. */
  readonly calls: readonly Read<Call>[];
  /** The run that waits first in the conversation, if one does. */
  readonly next: Read<Run> | null;
}

type Row = NonNullable<Change["outbox"]>[number];
type Timer = NonNullable<Change["timers"]>[number];

const LOG_KEPT_MS = 30 * 86_400_000;

/**
 * The change that a transition makes, while it is being made: values are replaced in here, nothing outside changes, and `build` gives the one
 * commit. What moves together (a call's state, its timer, its message, its event) is one method, so that no transition can forget a part.
 */
export class Draft {
  readonly now: number;
  readonly rules: Rules;
  run: Run;
  conversation: ConversationState;
  readonly next: Read<Run> | null;
  readonly calls = new Map<string, Call>();
  readonly #conversationRead: Read<ConversationState>;
  readonly #versions = new Map<string, number>();
  readonly #puts = new Map<string, { value: Json; expiresAt?: number }>();
  readonly #events: RunEvent[] = [];
  readonly #transcript: TranscriptEntry[] = [];
  readonly #timers = new Map<string, Timer>();
  readonly #rows: Row[] = [];

  constructor(snapshot: Snapshot, rules: Rules) {
    this.now = snapshot.now;
    this.rules = rules;
    this.run = snapshot.run.value;
    this.conversation = snapshot.conversation.value;
    this.#conversationRead = snapshot.conversation;
    this.next = snapshot.next;
    // The run is the first guard: it keeps the op.
    this.#versions.set(keys.run(this.run.runId), snapshot.run.version);
    for (const { version, value } of snapshot.calls) {
      this.calls.set(value.callId, value);
      this.#versions.set(keys.call(value.callId), version);
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

  /** Active time so far. Neither people's time counts, nor the time in which every process was dead. */
  get activeMs(): number {
    const { activeMs, stepStartedAt } = this.run;
    const held = Math.max(0, ...this.inOrder.map((call) => call.heldMs + (call.heldSince === undefined ? 0 : this.now - call.heldSince)));
    return activeMs + Math.max(0, this.now - Math.max(stepStartedAt, this.rules.ownersDeadBefore) - held);
  }

  setRun(part: Partial<Run>): void {
    this.run = { ...this.run, ...part };
  }

  event(event: RunEvent): void {
    this.#events.push(event);
  }

  transcript(...entries: TranscriptEntry[]): void {
    this.#transcript.push(...entries);
  }

  runTimer(dueIn: number | null): void {
    this.#timers.set(timerIds.run(this.run.runId), { service: AGENT_SERVICE, id: timerIds.run(this.run.runId), dueIn });
  }

  /** A timer or a message of another run of the conversation: the one that starts next. */
  otherRun(run: Read<Run>, value: Run, dueIn: number): void {
    const key = keys.run(value.runId);
    this.#versions.set(key, run.version);
    this.#puts.set(key, { value });
    this.#timers.set(timerIds.run(value.runId), { service: AGENT_SERVICE, id: timerIds.run(value.runId), dueIn });
    this.send(wakeMessage(value, this.rules, this.now, `${value.epoch}.next`));
  }

  /** Adds a call that this turn makes. */
  addCall(call: Call): void {
    this.calls.set(call.callId, call);
    this.#versions.set(keys.call(call.callId), 0);
    this.#put(call);
  }

  setCall(call: Call, dueIn: number): void {
    this.calls.set(call.callId, call);
    this.#put(call);
    this.callTimer(call.callId, dueIn);
  }

  callTimer(callId: string, dueIn: number | null): void {
    this.#timers.set(timerIds.call(callId), { service: AGENT_SERVICE, id: timerIds.call(callId), dueIn });
  }

  /** Sends the call's invoke; the first one fixes its not-after for good. */
  dispatch(call: Call): void {
    const dispatch = call.dispatch + 1;
    const { CALL_NOT_AFTER_MS, REDISPATCH_MS, REDISPATCH_MAX_MS } = this.rules.config;
    const sent: Call = {
      ...call,
      state: "dispatched",
      dispatch,
      sentAt: this.now,
      notAfter: call.notAfter ?? this.now + CALL_NOT_AFTER_MS,
    };
    this.setCall(sent, Math.min(REDISPATCH_MS * 2 ** (dispatch - 1), REDISPATCH_MAX_MS));
    this.send(invokeMessage(sent, this.run, this.rules, this.now));
  }

  /** Sends the very same invoke again: its broker is gone with the process that held it, so the count stays. */
  repeat(call: Call): void {
    const sent: Call = { ...call, sentAt: this.now };
    this.setCall(sent, this.rules.config.REDISPATCH_MS);
    this.send(invokeMessage(sent, this.run, this.rules, this.now));
  }

  /** Asks approvals for a grant, the first time or again. */
  request(call: Call, state: "requested" | "held" = "requested"): void {
    const requests = call.requests + 1;
    const { REDISPATCH_MS, REDISPATCH_MAX_MS, HELD_CHECK_MS } = this.rules.config;
    const asked: Call = { ...call, state, requests, sentAt: this.now };
    this.setCall(asked, state === "held" ? HELD_CHECK_MS : Math.min(REDISPATCH_MS * 2 ** (requests - 1), REDISPATCH_MAX_MS));
    this.send(approvalRequestMessage(asked, this.rules, this.now));
  }

  /** Ends a call with its one result. What waits for a person is taken back. */
  resolve(call: Call, result: ToolResult): void {
    if (call.state === "requested" || call.state === "held") this.send(approvalCancelMessage(call, this.rules, this.now));
    const { grant: _, ...rest } = call;
    const resolved: Call = { ...rest, state: "resolved", result, resolvedAt: this.now };
    this.calls.set(call.callId, resolved);
    // Large arguments and a large result do not fit into one document together; the transcript keeps the arguments.
    this.#put(Buffer.byteLength(JSON.stringify([call.arguments, result.content])) > 56 * 1024 ? { ...resolved, arguments: "" } : resolved);
    this.callTimer(call.callId, null);
    this.setRun({
      pending: this.run.pending - 1,
      calls: this.run.calls.map((open) => (open.callId === call.callId ? { ...open, resolved: true } : open)),
      usage: { ...this.run.usage, toolCalls: this.run.usage.toolCalls + 1 },
    });
    this.event({
      type: "call.resolved",
      at: this.now,
      callId: call.callId,
      tool: call.toolName,
      status: result.status,
      latencyMs: result.metadata?.latencyMs ?? 0,
      content: result.content.slice(0, EVENT_CONTENT_CHARS),
    });
  }

  /** Marks a call that must not begin any more: the worker's begin and first sending guard its absence. */
  stop(call: Call, reason: string): void {
    const key = keys.stop(call.callId);
    this.#puts.set(key, { value: { callId: call.callId, at: this.now, reason }, expiresAt: this.now + LOG_KEPT_MS });
  }

  /** When every call of the round has its result: the results go to the transcript in index order and the model is due. */
  finishRound(): void {
    if (this.run.pending > 0) return;
    const calls = this.inOrder;
    for (const call of calls) this.transcript(resultEntry(call));
    const rule = this.profile?.report;
    this.setRun({
      status: "ready",
      lease: null,
      activeMs: this.activeMs,
      report: rule && this.run.report ? reportAfterRound(this.run.report, rule, calls) : this.run.report,
    });
    this.runTimer(this.rules.config.POLL_MS);
    this.send(wakeMessage(this.run, this.rules, this.now, `${this.run.round}.${this.run.epoch}`));
  }

  /** Ends the run and frees its conversation for the one that waits first. */
  end(end: RunEnd, status: "done" | "failed" | "cancelled", ending: Run["ending"]): void {
    this.setRun({ status, lease: null, endedAt: this.now, ending });
    this.runTimer(null);
    this.event(end);
    const { runId } = this.run;
    const { conversation, next } = this;
    if (conversation.activeRun !== runId) {
      this.conversation = { ...conversation, queue: conversation.queue.filter((id) => id !== runId) };
      return;
    }
    this.conversation = {
      ...conversation,
      activeRun: next?.value.runId ?? null,
      queue: conversation.queue.filter((id) => id !== next?.value.runId),
    };
    if (!next) return;
    const { runId: nextId, message } = next.value;
    if (message) this.transcript({ type: "user", runId: nextId, ...message });
    this.otherRun(next, { ...next.value, message: null, status: "ready", stepStartedAt: this.now }, this.rules.config.POLL_MS);
  }

  send(message: Message): void {
    this.#rows.push({ service: AGENT_SERVICE, id: message.id, topic: message.topic, message: message as unknown as Json, dueIn: 0 });
  }

  /** The one commit of this transition. */
  build(op: string): Change {
    const { runId, conversationId } = this.run;
    const ended = this.run.endedAt !== null;
    this.#puts.set(keys.run(runId), { value: this.run, ...(ended ? { expiresAt: this.now + this.rules.config.FINISHED_RUN_MS } : {}) });
    if (this.conversation !== this.#conversationRead.value || this.#conversationRead.version === 0) {
      const key = keys.conversation(conversationId);
      this.#versions.set(key, this.#conversationRead.version);
      this.#puts.set(key, { value: this.conversation });
    }
    const expiresAt = this.now + LOG_KEPT_MS;
    return {
      op,
      guards: [...this.#versions].map(([key, version]) => ({ key, version })),
      put: [...this.#puts].map(([key, put]) => ({ key, ...put })),
      append: [
        { log: keys.transcript(conversationId), entries: this.#transcript as unknown as Json[], expiresAt },
        { log: keys.events(runId), entries: this.#events as unknown as Json[], expiresAt },
      ].filter(({ entries }) => entries.length > 0),
      timers: [...this.#timers.values()],
      outbox: this.#rows,
    };
  }

  get shard(): string {
    return shardOf(this.run.runId);
  }

  #put(call: Call): void {
    const resolved = call.state === "resolved";
    this.#puts.set(keys.call(call.callId), { value: call, ...(resolved ? { expiresAt: this.now + LOG_KEPT_MS } : {}) });
  }
}

function resultEntry(call: Call): TranscriptEntry {
  const { runId, round, transcriptId: id, callId, toolName: name, result, resolvedAt } = call;
  if (!result) throw new Error(`Call ${callId} has no result when its round ends.`);
  return {
    type: "result",
    runId,
    round,
    id,
    callId,
    name,
    status: result.status,
    content: result.content,
    isError: result.isError,
    at: resolvedAt ?? 0,
  };
}
