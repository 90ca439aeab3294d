import {
  type ConversationState,
  type Json,
  keys,
  type MessageEntry,
  parseConversationState,
  type QueuedRun,
  type Run,
  type RunRecord,
  shardOf,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { parsed } from "../documents/load.ts";
import type { ToolOffer } from "../tool-offer.ts";
import { newConversation } from "../transitions/conversation.ts";
import { finishCancel } from "../transitions/end.ts";
import type { Read } from "../transitions/rules.ts";
import { startRun } from "../transitions/start.ts";
import type { ReplayWorld } from "./replay-world.ts";

/** Starts the run as its conversation was at that time: free, with another run that is active, or not able to take the message. */
export async function beginRun(world: ReplayWorld, record: RunRecord, offer: ToolOffer = offerOf(record)): Promise<void> {
  const { run, events } = record;
  const [first] = events;
  const before = await conversationOf(world, record);
  const value: ConversationState =
    first?.type === "run.queued"
      ? { ...before.value, activeRun: first.behind, queue: others(run, (first.position ?? 1) - 1) }
      : first?.type === "run.failed"
        ? refusing(before.value, first)
        : before.value;
  const nobody = first?.type === "run.failed" && first.code === "origin_unknown";
  await world.commit(
    run.runId,
    startRun(
      {
        now: world.clock.now(),
        entry: entryOf(record),
        accepted: run.accepted,
        conversation: { version: before.version, value },
        rights: nobody ? null : (run.rights ?? { scopes: [] }),
        profile: world.profile ?? undefined,
        offer: world.profile ? offer : null,
        interrupts: null,
      },
      world.rules,
    ),
  );
}

/** Ends the run that the queued run waits for, so that the queued run starts. */
export async function startQueued(world: ReplayWorld, { run, events }: RunRecord): Promise<void> {
  const [first] = events;
  const behind = first?.type === "run.queued" ? first.behind : "";
  const own = await world.snapshot(run.runId);
  const active: Run = {
    ...own.run.value,
    runId: behind,
    status: "ready",
    message: null,
    events: 0,
    cancel: { entryId: "replay", by: "replay", at: world.clock.now() },
  };
  const value: ConversationState = { ...own.conversation.value, activeRun: behind, queue: [queuedAs(run.runId, run.accepted)] };
  await putDocuments(world, run.runId, [
    [keys.conversation(run.conversationId), own.conversation.version, value],
    [keys.run(behind), 0, active],
  ]);
  await world.commit(behind, finishCancel(await world.snapshot(behind), world.rules));
}

/** Puts documents that the log shows into the store of the replay. */
export async function putDocuments(
  world: ReplayWorld,
  runId: string,
  documents: readonly (readonly [string, number, object])[],
): Promise<void> {
  const change: Change = {
    op: `put:${documents.map(([key, version]) => `${key}@${version}`).join()}:${world.rules.newNonce()}`,
    guards: documents.map(([key, version]) => ({ key, version })),
    put: documents.map(([key, , value]) => ({ key, value: value as Json })),
  };
  await world.commit(runId, change);
}

/** Returns the tools that the run was offered. */
export function offerOf({ run, events }: RunRecord): ToolOffer {
  const started = events.find((event) => event.type === "run.started");
  const choice = started?.choice ?? run.choice;
  return { tools: run.tools, registryVersion: run.registryVersion, ...(choice ? { choice } : {}) };
}

async function conversationOf(world: ReplayWorld, { run }: RunRecord): Promise<Read<ConversationState>> {
  const key = keys.conversation(run.conversationId);
  const { documents } = await world.state.read([key]);
  return parsed(documents[0], parseConversationState, key) ?? { version: 0, value: newConversation(run.conversationId) };
}

function entryOf({ run, transcript, events }: RunRecord): MessageEntry {
  const said = transcript.find(({ entry }) => entry.type === "user" && entry.runId === run.runId)?.entry;
  const [first] = events;
  const isBusy = first?.type === "run.failed" && first.code === "conversation_busy";
  return {
    kind: "message",
    entryId: run.runId,
    runId: run.runId,
    conversationId: run.conversationId,
    agent: run.agent,
    profile: run.profile,
    text: said?.type === "user" ? said.text : (run.message?.text ?? ""),
    input: run.input,
    ifActive: isBusy ? "reject" : "enqueue",
    acceptedAt: run.createdAt,
  };
}

/** Returns the conversation that refuses a message in this way. */
function refusing(before: ConversationState, { code, message }: { readonly code: string; readonly message: string }): ConversationState {
  switch (code) {
    case "conversation_deleted":
      return { ...before, deletedAt: 1 };
    case "conversation_busy":
      return { ...before, activeRun: /^The run (\S+) is active/.exec(message)?.[1] ?? "" };
    case "queue_full": {
      const waiting = Number(/^The conversation has (\d+) messages/.exec(message)?.[1] ?? 0);
      const { conversationId: near } = before;
      return {
        ...before,
        activeRun: another(near, 0),
        queue: Array.from({ length: waiting }, (_, n) => queuedAs(another(near, n + 1), n)),
      };
    }
    default:
      return before;
  }
}

/** Returns runs that wait before this one. */
function others({ accepted, runId }: Pick<Run, "accepted" | "runId">, count: number): QueuedRun[] {
  return Array.from({ length: count }, (_, n) => queuedAs(another(runId, n), Math.min(accepted, n) - count));
}

/** Returns the id of a run of the same shard. The replay has no documents of it. */
function another(near: string, n: number): string {
  return `rn_${shardOf(near)}_${String(n).padStart(26, "0")}`;
}

const queuedAs = (runId: string, accepted: number): QueuedRun => ({ runId, accepted, interrupts: false });
