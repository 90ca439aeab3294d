import {
  consumeQueue,
  type DeliveryContext,
  type Disposition,
  listenTo,
  loggedId,
  type MessageBus,
  type Subscription,
  type Verdict,
} from "@toolbus/bus";
import {
  ApprovalDecided,
  ApprovalHeld,
  attributes,
  type Call,
  callParts,
  messageTypes,
  type Message,
  parser,
  RunWake,
  shardOf,
  ToolAnswer,
  type ToolDefinition,
  ToolProgress,
  topics,
} from "@toolbus/contracts";
import { MAX_SIGNED_CHARS, secretHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { readResult } from "@toolbus/tool-kit";
import { advanceHeld, advanceRun } from "../steps/advance.ts";
import { RIDE_MS } from "../steps/ahead.ts";
import { answerArrived } from "./arrived.ts";
import { callDecided, callHeld, callOf } from "../transitions/decided.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import type { InboxReader } from "./inbox-reader.ts";
import { takeEntry } from "./inbox.ts";
import { followCall } from "./follow-call.ts";
import { joinResult } from "../transitions/join.ts";
import { ridesOn } from "./ride-on.ts";
import { seenLedger } from "./seen-ledger.ts";
import { askedPeople, noteQuestions, withQuestions } from "./seen-questions.ts";
import { lookAtCall } from "./look-at-call.ts";
import { onCall } from "./on-call.ts";
import { refusedShard } from "../documents/own-shard.ts";
import { progressListener } from "../outgoing/progress.ts";
import { grantStale } from "../transitions/redispatch.ts";

const parseAnswer = parser(ToolAnswer);
const parseHeld = parser(ApprovalHeld);
const parseDecided = parser(ApprovalDecided);
const parseWake = parser(RunWake);
const parseProgress = parser(ToolProgress);

const ACK: Disposition = { kind: "ack" };
/** The start of a run may ride for a moment. A cancel that arrives in this moment is looked at again soon. */
const NOT_STARTED: Disposition = { kind: "retry", after: 2 * RIDE_MS, reason: "its run has not started yet" };
const LOOKS_AT_START = 3;

/** Starts the consumers of the agent's four queues, and listens to the progress of tools. */
export async function startConsumers(bus: MessageBus, reader: InboxReader, clock: () => number): Promise<readonly Subscription[]> {
  const { rules, state, log } = reader;
  const { AGENT_NAME, AGENT_CONCURRENCY, MODEL_TIMEOUT_MS, DEAD_LETTERS_PER_MINUTE: lettersPerMinute } = rules.config;
  const showProgress = progressListener(state, (callId, proof) => noteQuestions(reader, { callId, proof }));
  const common = { log, clock, concurrency: AGENT_CONCURRENCY, deadlineMs: 30_000, lettersPerMinute };
  // An answer may begin the run's next step, and is acknowledged after it. Steps are limited together, so as many other answers can be joined meanwhile.
  const continuing = { ...common, concurrency: 2 * AGENT_CONCURRENCY, deadlineMs: MODEL_TIMEOUT_MS + 30_000 };
  return [
    await consumeQueue(bus, {
      ...continuing,
      topic: topics.result(AGENT_NAME),
      types: [messageTypes.toolResult, messageTypes.toolError, messageTypes.grantStale],
      parse: parseAnswer,
      handler: (message, _, context) => onResult(reader, message, context),
    }),
    await consumeQueue(bus, {
      ...common,
      topic: topics.approvalHeld(AGENT_NAME),
      types: [messageTypes.approvalHeld],
      parse: parseHeld,
      handler: async (_, held) =>
        refusedShard(state, held.toolCallId) ?? onCall(reader, held.toolCallId, (snapshot) => callHeld(snapshot, held, rules)),
    }),
    await consumeQueue(bus, {
      ...continuing,
      topic: topics.approvalDecided(AGENT_NAME),
      types: [messageTypes.approvalDecided],
      parse: parseDecided,
      handler: async (message, decided, context) => {
        const grant = message.attributes[attributes.grant];
        if (grant !== undefined && grant.length > MAX_SIGNED_CHARS)
          return { kind: "unusable", reason: "its grant is longer than any valid grant" };
        // The signature does not depend on the snapshot, so it is verified once for all tries.
        let genuine: Promise<boolean> | undefined;
        const decide = async (snapshot: Snapshot): Promise<Change | null> => {
          const call = callOf(snapshot, decided.toolCallId);
          if (call === undefined || !isOpen(call)) return null;
          genuine ??= reader.proofs.decided(call, message);
          if (!(await genuine)) return null;
          const { row } = await seenLedger(reader, snapshot, decided.toolCallId);
          const definition = decided.arguments === undefined ? null : await definitionOf(reader, snapshot, decided.toolCallId);
          const change = callDecided(snapshot, decided, grant, rules, { ledger: row, definition });
          if (change === null && grant !== undefined)
            reader.strays.tell(
              { callId: decided.toolCallId, messageId: loggedId(message.id) },
              "an approval whose grant does not cover its arguments is dropped",
            );
          return change;
        };
        return refusedShard(state, decided.toolCallId) ?? continued(reader, decided.toolCallId, decide, message, context);
      },
    }),
    await consumeQueue(bus, {
      ...common,
      topic: topics.runWake,
      types: [messageTypes.runWake],
      // The step may first wait until another one has left its place.
      deadlineMs: 2 * MODEL_TIMEOUT_MS + 30_000,
      parse: parseWake,
      handler: async (message, wake, context) => {
        const refused = refusedShard(state, wake.runId);
        if (refused) return refused;
        const taken = wake.entryId ? await takeEntry(reader, wake.runId, wake.entryId, wake.call ? null : message.id) : null;
        // The gateway's timer delivers the entry again in any case, but only after seconds.
        if (taken === "not_started") return context.count <= LOOKS_AT_START ? NOT_STARTED : ACK;
        if (taken) {
          await advanceHeld(reader, taken, context.signal);
          return ACK;
        }
        if (wake.call) return lookAtCall(reader, wake.runId, wake.call);
        if (wake.delivery && shardOf(wake.delivery) === shardOf(wake.runId)) await reader.sendDeliveryAgain(wake.delivery);
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

/** Returns whether this write waits for its approval. */
function isOpen({ state }: Call): boolean {
  return state === "requested" || state === "held";
}

/** Returns the definition that the call uses, or null if it has expired. A call by name may use a tool that the run was not offered. */
async function definitionOf({ catalogue }: InboxReader, snapshot: Snapshot, callId: string): Promise<ToolDefinition | null> {
  const call = callOf(snapshot, callId);
  if (!call) return null;
  const { toolName: name, toolVersion: version, toolHash: hash, toolset } = call;
  return (await catalogue.toolsOf([{ name, version, hash, toolset }])).get(name)?.definition ?? null;
}

/**
 * Applies a transition to a call, and continues the run if the transition makes it ready. If the message was delivered before, the process that had it
 * may have died after its commit. So this process then takes the run that the message holds.
 */
async function continued(
  reader: InboxReader,
  callId: string,
  transition: (snapshot: Snapshot) => Promise<Change | null>,
  { id }: Message,
  { redelivered, signal }: DeliveryContext,
): Promise<Disposition> {
  const disposition = await onCall(reader, callId, transition, { stepper: reader, by: id, signal });
  if (redelivered && disposition.kind === "ack") await advanceRun(reader, callParts(callId).runId, { by: id, redelivered }, signal);
  return disposition;
}

/** Takes an answer to a call, from the bus or from a toolset of this process. */
export async function onResult(reader: InboxReader, message: Message, context: DeliveryContext): Promise<Verdict> {
  const { strays, rules } = reader;
  const read = readResult(message);
  if (!read.ok) return { kind: "unusable", reason: "the answer breaks its contract" };
  const answer = read.value;
  const refused = refusedShard(reader.state, answer.callId);
  if (refused) return refused;
  const stale = message.type === messageTypes.grantStale;
  // The delivery is held until the step has ended. If this process dies before, another one joins the result.
  const riding = { rideMs: RIDE_MS, by: message.id, signal: context.signal };
  if (!stale && !context.redelivered && (await ridesOn(reader, [answer], riding))) return ACK;
  // The answer's proof does not depend on the snapshot, so it is verified once for all tries.
  let genuine: Promise<string | null> | undefined;
  const join = async (snapshot: Snapshot): Promise<Change | null> => {
    const call = callOf(snapshot, answer.callId);
    if (call?.kind === "write" && call.state !== "resolved" && answer.secretHash === secretHash(call.secret)) {
      genuine ??= reader.proofs.answered(call, { ...answer, stale }, message);
      if ((await genuine) === null) return null;
    }
    if (stale) return grantStale(snapshot, { ...answer, toolHash: (await genuine) ?? null }, rules);
    const asked = askedPeople(call, answer.result) ? await withQuestions(reader, snapshot, answer.callId) : snapshot;
    const { snapshot: seen, arrived } = await answerArrived(reader, asked, answer);
    const joined = joinResult(seen, arrived, rules);
    if (joined.kind === "join") return joined.change;
    if (joined.kind === "orphan")
      strays.tell(
        { callId: answer.callId, messageId: loggedId(message.id), why: joined.why },
        "an answer that belongs to no open call is dropped",
      );
    else if (call?.followUntil !== undefined && answer.secretHash === secretHash(call.secret)) await followCall(reader, call.callId);
    else if (joined.differs)
      strays.tell({ callId: answer.callId, messageId: loggedId(message.id) }, "a second answer differs from the first, which stands");
    return null;
  };
  return continued(reader, answer.callId, join, message, context);
}
