import { type ContextView, keys, type MessagePage, type MessageView, parseRun, type StoredEntry } from "@toolbus/contracts";
import { endedCalls } from "@toolbus/runtime";
import type { LogEntry, StateStore } from "@toolbus/state";
import { readCarrier } from "@toolbus/telemetry";
import type { OwnConversation } from "./conversation-access.ts";
import { shownResults } from "./whole-results.ts";

/** Returns a page of messages, oldest first. The page is the newest one, or the one before the message with the number `before`. */
export async function messagePage(
  state: StateStore,
  conversationId: string,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<MessagePage> {
  const log = keys.transcript(conversationId);
  const end = before ?? (await lastSequence(state, log)) + 1;
  const first = Math.max(1, end - limit);
  const entries = end > first ? await state.range(log, { after: first - 1, limit: end - first }) : [];
  const shown = await shownResults(state, entries);
  const messages = entries.map((entry) => messageView(conversationId, entry, shown.get(entry.sequence)));
  return {
    messages: before === undefined ? await withOutcomes(state, messages) : messages,
    ...(entries.length > 0 && first > 1 ? { before: first } : {}),
  };
}

/**
 * Adds the outcomes of the run's calls to the last of these messages, if the run has ended. A client that reads only the model's answer then learns
 * what was really done.
 */
async function withOutcomes(state: StateStore, messages: readonly MessageView[]): Promise<MessageView[]> {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [...messages];
  const { documents } = await state.read([keys.run(last.runId)]);
  const run = parseRun(documents[0]?.value);
  if (!run.ok || run.value.endedAt === null) return [...messages];
  const ended = await endedCalls(state, last.runId);
  return [...messages.slice(0, -1), { ...last, metadata: { ...last.metadata, ...(ended.length > 0 ? { ended } : {}) } }];
}

const CONTEXT_MESSAGES = 200;

/** Returns what the conversation contains. Tool calls are listed only for its newest messages. */
export async function contextView(store: StateStore, { origin, state }: OwnConversation): Promise<ContextView> {
  const { conversationId, profile, traceparent } = origin;
  const log = keys.transcript(conversationId);
  const last = await lastSequence(store, log);
  const newest = await store.range(log, { after: Math.max(0, last - CONTEXT_MESSAGES), limit: CONTEXT_MESSAGES });
  const results = newest.map(entryOf).filter((entry) => entry.type === "result");
  return {
    conversationId,
    profile,
    messages: last,
    runs: state?.runs ?? 0,
    usage: state?.usage ?? { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 },
    provider: state?.model?.provider ?? null,
    model: state?.model?.model ?? null,
    toolCalls: results.map(({ callId, name, status }) => ({ callId, tool: name, status })),
    traceId: readCarrier({ traceparent })?.traceId ?? null,
  };
}

const PROBE = 64;

/** Returns the number of a log's last entry, or 0 for an empty log. Reads single entries: first at growing distances, then by bisection. */
async function lastSequence(state: StateStore, log: string): Promise<number> {
  const has = async (sequence: number): Promise<boolean> => (await state.range(log, { after: sequence - 1, limit: 1 })).length > 0;
  let there = 0;
  let beyond = PROBE;
  while (await has(beyond)) [there, beyond] = [beyond, beyond * 4];
  while (beyond - there > 1) {
    const middle = Math.floor((there + beyond) / 2);
    if (await has(middle)) there = middle;
    else beyond = middle;
  }
  return there;
}

const entryOf = ({ value }: LogEntry): StoredEntry => value as unknown as StoredEntry;

function messageView(conversationId: string, logged: LogEntry, shown: string | undefined): MessageView {
  const entry = entryOf(logged);
  const base = { id: `${conversationId}:${logged.sequence}`, at: entry.at, runId: entry.runId };
  switch (entry.type) {
    case "user":
      return { ...base, role: "user", content: entry.text, metadata: {} };
    case "assistant": {
      const { text, round, provider, model, calls } = entry;
      return { ...base, role: "assistant", content: text, metadata: { round, provider, model, calls: calls.map((call) => ({ ...call })) } };
    }
    case "result": {
      const { content, round, callId, id: transcriptId, name: tool, status, isError } = entry;
      return { ...base, role: "tool", content: shown ?? content, metadata: { round, callId, transcriptId, tool, status, isError } };
    }
  }
}
