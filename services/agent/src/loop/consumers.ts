import { consumeQueue, type Disposition, listenTo, type MessageBus, type Subscription } from "@toolbus/bus";
import {
  ApprovalDecided,
  ApprovalHeld,
  attributes,
  callParts,
  messageTypes,
  type Message,
  parser,
  RunWake,
  shardOf,
  ToolAnswer,
  ToolProgress,
  topics,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { readResult } from "@toolbus/tool-kit";
import { advanceRun } from "./advance.ts";
import { callDecided, callHeld } from "./decided.ts";
import type { Snapshot } from "./draft.ts";
import { type InboxReader, takeEntry } from "./inbox.ts";
import { joinResult } from "./join.ts";
import { ledgerRow } from "./ledger-row.ts";
import { loadSnapshot } from "./load.ts";
import { progressListener } from "./progress.ts";
import { grantStale } from "./redispatch.ts";

const parseAnswer = parser(ToolAnswer);
const parseHeld = parser(ApprovalHeld);
const parseDecided = parser(ApprovalDecided);
const parseWake = parser(RunWake);
const parseProgress = parser(ToolProgress);

const ACK: Disposition = { kind: "ack" };
const TRIES = 20;

/** Starts the agent's four queues, and listens to how far tools are. */
export async function startConsumers(bus: MessageBus, reader: InboxReader, clock: () => number): Promise<readonly Subscription[]> {
  const { rules, log } = reader;
  const { AGENT_NAME, AGENT_CONCURRENCY, MODEL_TIMEOUT_MS } = rules.config;
  const showProgress = progressListener(reader.state);
  const common = { log, clock, concurrency: AGENT_CONCURRENCY, deadlineMs: 30_000 };
  return [
    await consumeQueue(bus, {
      ...common,
      topic: topics.result(AGENT_NAME),
      parse: parseAnswer,
      handler: (message) => onResult(reader, message),
    }),
    await consumeQueue(bus, {
      ...common,
      topic: topics.approvalHeld(AGENT_NAME),
      parse: parseHeld,
      handler: (_, held) => onCall(reader, held.toolCallId, (snapshot) => callHeld(snapshot, held, rules)),
    }),
    await consumeQueue(bus, {
      ...common,
      topic: topics.approvalDecided(AGENT_NAME),
      parse: parseDecided,
      handler: (message, decided) =>
        onCall(reader, decided.toolCallId, async (snapshot) => {
          const ledger = await ledgerRow(reader.state, snapshot, decided.toolCallId);
          return callDecided(snapshot, decided, message.attributes[attributes.grant], rules, ledger);
        }),
    }),
    await consumeQueue(bus, {
      ...common,
      topic: topics.runWake,
      deadlineMs: MODEL_TIMEOUT_MS + 30_000,
      parse: parseWake,
      handler: async (message, wake, context) => {
        if (wake.entryId) await takeEntry(reader, wake.runId, wake.entryId);
        await advanceRun(reader, wake.runId, { by: message.id, redelivered: context.redelivered }, context.signal);
        return ACK;
      },
    }),
    await listenTo(bus, {
      topic: topics.progress(AGENT_NAME),
      types: [messageTypes.toolProgress],
      parse: parseProgress,
      listener: (_, progress) => showProgress(progress),
      log,
    }),
  ];
}

async function onResult(reader: InboxReader, message: Message): Promise<Disposition> {
  const { log, rules } = reader;
  const read = readResult(message);
  if (!read.ok) return { kind: "dead-letter", reason: "the answer breaks its contract" };
  const answer = read.value;
  if (message.type === messageTypes.grantStale) return onCall(reader, answer.callId, (snapshot) => grantStale(snapshot, answer, rules));
  return onCall(reader, answer.callId, (snapshot) => {
    const joined = joinResult(snapshot, answer, rules);
    if (joined.kind === "join") return joined.change;
    if (joined.kind === "orphan")
      log.warn({ callId: answer.callId, messageId: message.id, why: joined.why }, "an answer that belongs to no open call is dropped");
    else if (joined.differs)
      log.warn({ callId: answer.callId, messageId: message.id }, "a second answer differs from the first, which stands");
    return null;
  });
}

/** Applies a transition to the run of a call until it is committed or there is nothing to do. */
export async function onCall(
  { state, outbox, log }: InboxReader,
  callId: string,
  transition: (snapshot: Snapshot) => Change | null | Promise<Change | null>,
): Promise<Disposition> {
  const { runId } = callParts(callId);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const snapshot = await loadSnapshot(state, runId);
    if (!snapshot) {
      log.warn({ callId }, "a message for a run that is not there is dropped");
      return ACK;
    }
    const change = await transition(snapshot);
    if (!change || (await outbox.commit(shardOf(runId), change)).outcome === "ok") return ACK;
  }
  return { kind: "retry", after: 100, reason: "the run changed too often meanwhile" };
}
