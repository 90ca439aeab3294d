import {
  type ConversationState,
  HOME_SHARD,
  type Json,
  keys,
  type RecordedCall,
  type RecordedTool,
  type Registration,
  type RunRecord,
  shardOf,
  type ShownResult,
  type TranscriptEntry,
  type WorkingResult,
} from "@toolbus/contracts";
import { holdText, putBlobRepeatedly, referToText } from "@toolbus/state";
import { storeEntry } from "../memory/stored-entries.ts";
import { indexKeyOf } from "../memory/working-keys.ts";
import { newConversation } from "../transitions/conversation.ts";
import type { ReplayWorld } from "./replay-world.ts";

/** Puts into the store what was there before the run began: the tool definitions, the transcript and the working memory of the conversation. */
export async function fillWorld(world: ReplayWorld, record: RunRecord): Promise<void> {
  const { conversationId, runId } = record.run;
  await putTools(world, record);
  const earlier = earlierEntries(record).map(({ entry }) => entry);
  const entries: Json[] = [];
  for (const entry of earlier) entries.push((await storeEntry(world.state, entry)) as unknown as Json);
  const begun: ConversationState = {
    ...newConversation(conversationId),
    runs: record.run.ordinal - 1,
    ...(earlier.some((entry) => entry.type === "result" && entry.indexKey !== undefined) ? { workingMemory: true } : {}),
  };
  const key = keys.conversation(conversationId);
  await world.commit(runId, {
    op: "earlier",
    guards: [{ key, version: 0 }],
    put: [{ key, value: begun as unknown as Json }],
    ...(entries.length > 0 ? { append: [{ log: keys.transcript(conversationId), entries }] } : {}),
  });
  for (const call of record.remembered) await remember(world, record, call, earlier);
}

/** Returns the entries that were in the transcript before the run began. */
export function earlierEntries({ transcript, run }: Pick<RunRecord, "transcript" | "run">): RunRecord["transcript"] {
  const own = transcript.findIndex(({ entry }) => entry.runId === run.runId);
  return own < 0 ? transcript : transcript.slice(0, own);
}

/** Registers the tools, so that the run finds their definitions and the ones that it may not call. */
async function putTools(world: ReplayWorld, { tools, calls }: RunRecord): Promise<void> {
  for (const tool of tools) {
    const { name, version } = tool.definition;
    const missing = calls.find(({ toolHash, result }) => toolHash === tool.hash && result?.error?.code === "no_worker")?.result?.error;
    const goneAt = Date.parse(GONE.exec(missing?.message ?? "")?.[1] ?? "");
    const lastSeenAt = Number.isNaN(goneAt) ? Number.MAX_SAFE_INTEGER : goneAt;
    const key = keys.registration(tool.toolset, name, version);
    await world.state.commit(HOME_SHARD, {
      op: `tool:${tool.toolset}:${name}:${version}:${tool.hash}`,
      guards: [{ key: keys.replacedDefinition(tool.toolset, tool.hash), version: 0 }],
      put: [
        { key: keys.replacedDefinition(tool.toolset, tool.hash), value: { ...tool, replacedAt: 0 } as unknown as Json },
        { key, value: { ...tool, registeredAt: 0, lastSeenAt } as unknown as Json },
      ],
      index: [{ index: keys.registryIndex(), member: `${tool.toolset}/${name}@${version}`, score: 0 }],
    });
  }
}

/** A tool that the run did not get says since when no worker of its toolset was alive. */
const GONE = /cannot be used: no worker of "[^"]*" has been alive since (\S+Z)\.$/;

/** Returns what the model read in place of a call's long result, stored as the agent stores it. */
export async function shownOf(world: ReplayWorld, { shown }: RecordedCall): Promise<ShownResult | undefined> {
  if (!shown) return undefined;
  const held = await holdText(world.state, shown.content);
  if (!shown.index) return held;
  return { ...held, index: await putBlobRepeatedly(world.state, Buffer.from(JSON.stringify(shown.index))) };
}

/** Returns the result of a call as a worker's answer had it. */
export async function resultOf(world: ReplayWorld, call: RecordedCall): Promise<NonNullable<RecordedCall["result"]> | null> {
  if (!call.result || !call.long) return call.result;
  return { ...call.result, ...(await referToText(world.state, call.result.content)) };
}

/** Puts a long result of an earlier run into working memory, for as long as it was there. */
async function remember(world: ReplayWorld, record: RunRecord, call: RecordedCall, earlier: readonly TranscriptEntry[]): Promise<void> {
  const entry = earlier.find((one) => one.type === "result" && one.callId === call.callId);
  const shown = await shownOf(world, call);
  const result = await resultOf(world, call);
  if (!entry || !shown?.index || !result?.contentRef) return;
  const { conversationId } = record.run;
  const key = keys.working(conversationId, indexKeyOf({ ...call, conversationId }));
  const value: WorkingResult = { callId: call.callId, tool: call.toolName, content: result.contentRef, index: shown.index, at: entry.at };
  await world.state.commit(shardOf(conversationId), {
    op: `remember:${call.callId}`,
    guards: [{ key, version: 0 }],
    put: [
      {
        key,
        value: value as unknown as Json,
        expiresAt: entry.at + world.rules.config.WORKING_MEMORY_TTL_MS,
      },
    ],
  });
}

/** Returns a recorded tool as the registry had it, with a living worker. */
export function registrationOf({ toolset, hash, definition }: RecordedTool, now: number): Registration {
  return { toolset, hash, definition, registeredAt: now, lastSeenAt: now };
}
